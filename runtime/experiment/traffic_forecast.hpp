#pragma once

#include <cstdint>
#include <vector>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// What one peer sends in the course of a whole run, header and payload of every message.
struct PeerTraffic {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct TrafficForecast {
  std::vector<PeerTraffic> peers;  ///< by id
  bool exact = true;   ///< otherwise the codec's size depends on the data, and bytes are at most these
  bool steady = true;  ///< every peer sends the same number of bytes in every iteration

  std::uint64_t total_bytes() const;
};

/// The bytes that the peers of this run will send, if it takes all its iterations: from what the method says
/// of its traffic, without running it. For data-independent codecs `bytes_sent` of the run is this, to the
/// byte.
template <class Scalar>
TrafficForecast forecast_traffic(const Experiment<Scalar>& experiment);

}  // namespace hearsay
