#pragma once

#include <cstdint>
#include <vector>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// What one peer sends during a whole run. Bytes are header and payload of every message.
struct PeerTraffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct TrafficForecast {
  std::vector<PeerTraffic> peers;  ///< by id
  bool exact = true;   ///< false: traffic depends on the data or on timing; these are upper bounds
  bool steady = true;  ///< each peer's bytes are the same in all iterations

  std::uint64_t total_bytes() const;
};

/// Returns what the peers will send if the run takes all its iterations, computed from the method's own
/// forecast (`Algorithm::traffic`) without running it. If it is `exact`, it equals `bytes_sent` of the run.
template <class Scalar>
TrafficForecast forecast_traffic(const Experiment<Scalar>& experiment);

}  // namespace hearsay
