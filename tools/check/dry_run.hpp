#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/traffic_forecast.hpp"
#include "runtime/foundation/units.hpp"

namespace hearsay {

/// A run's time under its network and its bytes, extrapolated from its first iterations.
struct DryRun {
  Duration gradient{0};                         ///< measured; 0 where it is emulated
  std::optional<double> seconds_per_iteration;  ///< nothing where the run ended at once
  std::optional<double> seconds;                ///< of the whole run
  double payload_share = 1.0;                   ///< of what messages take at most, over all peers
  std::vector<double> peer_bytes;               ///< of the whole run, header and payload
  std::string failure;                          ///< why not even the first iterations went well; else empty
  bool given_up = false;                        ///< not even the first two came to an end
};

/// Simulates the first iterations of an experiment whose traffic is at most `most`, evaluated twice, so that
/// what happens once at the start does not count twice: two of them, and then more where that will not take
/// longer than `patience`, by the real clock. Gives up where the two do. Leaves the experiment as it was.
template <class Scalar>
DryRun dry_run(Experiment<Scalar>& experiment, const TrafficForecast& most,
               Duration patience = std::chrono::seconds(5));

}  // namespace hearsay
