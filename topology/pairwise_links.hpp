#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The network between any two peers, whether they are linked in a topology or not: what a graph is chosen
/// by.
///
/// A message from i to j passes the port of i, then the link's own bandwidth and latency, then the port of j.
/// All links of a peer share its port. Bandwidths are in bytes per second, infinite if unlimited.
class PairwiseLinks {
 public:
  static constexpr double unlimited = std::numeric_limits<double>::infinity();

  /// Of one direction.
  struct Link {
    double latency_s = 0.0;
    double bytes_per_s = unlimited;
    bool operator==(const Link&) const = default;
  };
  struct Port {
    double up_bytes_per_s = unlimited;    ///< what the peer sends
    double down_bytes_per_s = unlimited;  ///< what the peer receives
    bool operator==(const Port&) const = default;
  };

  /// All links and ports are unlimited, without latency.
  explicit PairwiseLinks(PeerId peer_count)
      : ports_(peer_count), links_(std::size_t{peer_count} * peer_count) {}

  PeerId peer_count() const { return static_cast<PeerId>(ports_.size()); }
  Link& link(PeerId from, PeerId to) { return links_[std::size_t{from} * ports_.size() + to]; }
  const Link& link(PeerId from, PeerId to) const { return links_[std::size_t{from} * ports_.size() + to]; }
  Port& port(PeerId peer) { return ports_[peer]; }
  const Port& port(PeerId peer) const { return ports_[peer]; }
  bool operator==(const PairwiseLinks&) const = default;

 private:
  std::vector<Port> ports_;
  std::vector<Link> links_;
};

}  // namespace hearsay
