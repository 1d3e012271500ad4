#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/traffic_forecast.hpp"
#include "runtime/foundation/units.hpp"

namespace hearsay {

/// Time and bytes of a whole run on its network, extrapolated from its first iterations.
struct DryRun {
  Duration gradient{0};  ///< measured; 0 if it is emulated
  /// Empty if the run ended before its second evaluation, or if peers come and go.
  std::optional<double> seconds_per_iteration;
  std::optional<double> seconds;          ///< of the whole run
  std::optional<double> computing_share;  ///< of the time of an iteration, mean over the peers
  /// Of the time of the hub's port, sending or receiving, whichever is more; empty without a hub or limit.
  std::optional<double> hub_port_share;
  double payload_share = 1.0;      ///< bytes of payload over their upper bound, summed over all peers
  std::vector<double> peer_bytes;  ///< of the whole run, header and payload
  std::string failure;             ///< why the first iterations failed; empty if they did not
  bool given_up = false;           ///< the first two iterations took longer than the patience
  bool too_large = false;          ///< nothing was tried: all peers at once need too much memory
};

/// How much real time check gives to the first iterations.
constexpr Duration dry_run_patience = std::chrono::seconds(5);

/// Simulates the first two iterations of an experiment, and the first twelve if that will not take longer
/// than `patience` of real time. Each simulation is evaluated in the middle and at the end; only the second
/// part is extrapolated, so that what happens once at the start counts once. `most` is the upper bound of the
/// traffic. Gives up if two iterations take longer than `patience`. Leaves the experiment unchanged. If no
/// length of a message depends on the gradients, they are of at most four samples.
template <class Scalar>
DryRun dry_run(Experiment<Scalar>& experiment, const TrafficForecast& most,
               Duration patience = dry_run_patience);

/// Returns what is known of a run whose iterations are not tried out: its bytes, at most.
DryRun untried(const TrafficForecast& most);

}  // namespace hearsay
