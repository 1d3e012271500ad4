#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/cluster/links_file.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What a peer has measured of the messages of another.
struct MeasuredLink {
  PeerId from = 0;
  PeerId to = 0;
  std::uint64_t bytes_per_s = 0;
  Duration round_trip{0};  ///< the least
  bool operator==(const MeasuredLink&) const = default;
};

/// Returns what a links file says of the network, with three significant digits. The latency of a pair is
/// half of the least round trip that one of the two has measured: which way takes how long of it, round trips
/// do not tell. A port is as fast as the fastest of its links. `names` are those of the peers, by id;
/// `measured` holds each ordered pair once.
LinksFile links_file_of(const std::vector<std::string>& names, const std::vector<MeasuredLink>& measured);

}  // namespace hearsay
