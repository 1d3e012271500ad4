#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The frames of one evaluation at the port of the observer.
struct EvaluationTraffic {
  std::uint64_t bytes_in = 0;   ///< evaluations and answers of all peers
  std::uint64_t bytes_out = 0;  ///< questions to all peers, and verdicts
  /// How long they take on the emulated network if nothing else is on it (message_time.hpp), from the ports
  /// of the peers to the last verdict; 0 if that is not limited.
  double seconds = 0.0;
  /// How long the busier direction of the port is busy with them: without latencies, in which it is free.
  double port_seconds = 0.0;
};

EvaluationTraffic evaluation_traffic(const RunSettings& settings, std::uint64_t dimension, PeerId peers);

/// Returns how often a run is evaluated, and what an evaluation takes of the observer's port: in bytes, and,
/// if the network is limited, in time. `iteration` is the seconds of an iteration, if they are known.
std::string evaluations_text(const RunSettings& settings, const EvaluationTraffic& traffic,
                             std::optional<double> iteration);

/// Returns a warning if evaluations pass the emulated network and take more than 5 % of the observer's port:
/// training then waits for them. It names a run.evaluate_every that takes 5 %.
std::optional<std::string> evaluations_warning(const RunSettings& settings, const EvaluationTraffic& traffic,
                                               std::optional<double> iteration);

}  // namespace hearsay
