#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topology/pairwise_links.hpp"

namespace hearsay {

/// The neighbors of every peer, ascending. Links go both ways.
using NeighborLists = std::vector<std::vector<PeerId>>;

/// Forecasts how long a round of gossip takes if nothing but messages takes time.
///
/// In a round a peer sends a message to each of its neighbors, in cyclic order of the ids beginning after its
/// own; it starts the next round when it has one of this round from each. So neighbors may be a round apart.
/// A message of b bytes passes the stages of the emulated network, each first in, first out:
///
///     egress    end     = max(now, egress_free) + b / up                   shared by the links of a peer
///     own rate  end     = max(end, max(start, link_free) + b / own)
///     flight    due     = end + latency
///     ingress   release = max(due, max(ingress_free, due - b / min(up, own)) + b / down)
///
/// (runtime/network/link.hpp has the same stages.) The forecast plays the first rounds, and leaves out those
/// in which fast peers run ahead of the slow ones.
class RoundClock {
 public:
  RoundClock(const PairwiseLinks& links, double message_bytes);

  /// Returns the seconds of a round. 0 for one peer. Costs O(links log links) for each round played.
  double seconds_per_round(const NeighborLists& neighbors);

  /// Returns a time that a round takes at least: that of the busiest port, the slowest link, or the mean of
  /// the two ways of a link. Costs O(links).
  double least_seconds(const NeighborLists& neighbors) const;

  /// Returns what `least_seconds` counts for a link: the mean of its two ways, or the time of the slower
  /// one's bytes if that is longer.
  double least_seconds(PeerId a, PeerId b) const;

 private:
  struct Arrival {
    double due;
    std::uint64_t order;  // of messages that are due at the same time
    PeerId from;
    PeerId to;
    /// The order of a heap whose top is the first arrival.
    static bool later(const Arrival& a, const Arrival& b) {
      return a.due != b.due ? a.due > b.due : a.order > b.order;
    }
  };
  /// Where a peer is.
  struct Place {
    std::uint32_t round = 0;
    std::size_t missing = 0;  // messages of its round
    std::size_t early = 0;    // messages of the next round
    double egress_free = 0.0;
    double ingress_free = 0.0;
  };

  /// Returns when a message is there, if nothing else is on the way.
  double message_seconds(PeerId from, PeerId to) const;
  void start(const NeighborLists& neighbors);
  void send_all(PeerId peer, double now, std::span<const PeerId> neighbors);
  double receive(const Arrival& arrival);

  const PairwiseLinks& links_;
  double bytes_;
  std::vector<Place> places_;
  std::vector<std::uint32_t> received_;  // messages by (to, from)
  std::vector<double> link_free_;        // by (from, to)
  std::vector<Arrival> heap_;
  std::uint64_t sent_ = 0;
};

}  // namespace hearsay
