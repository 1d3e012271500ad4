#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/compression/seam/traits.hpp"
#include "algorithms/seam/method_options.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

struct MethodInfo;

/// What a method may see of a run before it starts, to judge whether it can work (MethodInfo::check,
/// OptionRow::check). What it refers to outlives the view.
struct RunView {
  const MethodInfo& method;
  const MethodOptions& options;        ///< every option that the method reads has a value
  const std::string& compressor;       ///< spelling
  SegmentTable segments;               ///< the layers of the model
  std::size_t dimension = 0;           ///< d
  std::size_t scalar_bytes = 0;        ///< of a number: 4 or 8
  double step_size = 0.0;              ///< eta
  std::optional<std::uint64_t> batch;  ///< samples of a minibatch; empty: all
  std::uint64_t iterations = 0;
  std::uint64_t samples = 0;     ///< of all peers together
  const std::string& partition;  ///< data.partition
  PeerId worker_count = 1;       ///< n, the peers with data

  const MixingMatrix& mixing;
  const Schedule& schedule;
  const std::string& weights;        ///< what W is called
  const std::string& schedule_name;  ///< topology.schedule
  double participation = 1.0;        ///< topology.participation

  /// Returns the traits of a compressor, with omega_typical measured.
  std::function<Traits(const std::string& compressor)> traits_of;
  /// Returns how far the compressor contracts the first gradient at the initial model; empty if that is 0, or
  /// not known here.
  std::function<std::optional<double>()> contraction_at_the_start;

  PeerId peer_count() const { return schedule.peer_count(); }
  bool links_vary() const { return schedule.period() != 1; }
};

}  // namespace hearsay
