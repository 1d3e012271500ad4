#pragma once

#include <optional>
#include <string>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Seconds that an iteration of a run takes for the sums of vectors, one after the other, on the emulated
/// network, by both ways of algorithm.reduce. They are those of an iteration among others: a peer that is
/// through begins the next one. Compute time, jitter and losses are not counted. Round the ring all chunks
/// count as equally long.
struct ReduceTimes {
  double ring = 0.0;
  double doubling = 0.0;

  /// The value of algorithm.reduce that is sooner. A network that delays nothing makes no difference: "ring",
  /// which takes the fewest bytes.
  std::string quickest() const { return doubling < ring ? "doubling" : "ring"; }
};

/// Returns the times for what the method of `settings` sums in an iteration (MethodInfo::summed), for a model
/// of these layers. Empty if it does not read algorithm.reduce. Peers, links and options are resolved.
std::optional<ReduceTimes> reduce_times(const RunSettings& settings, const SegmentTable& segments);

/// True if the method reads algorithm.reduce, and the user, who has `set` options, leaves the way to the
/// network.
bool leaves_reduce_open(const MethodInfo& method, const MethodOptions& set);

/// Returns how the sums are formed, "ring" or "doubling": as the user has `set` it; if that is "auto", the
/// quickest way on the network of `settings`. Empty if the method does not read algorithm.reduce.
std::optional<std::string> chosen_reduce(const MethodOptions& set, const RunSettings& settings,
                                         const SegmentTable& segments);

}  // namespace hearsay
