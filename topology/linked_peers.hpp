#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "topology/graph.hpp"
#include "topology/round_clock.hpp"

namespace hearsay {

/// A graph that changes, link by link, while a better one is searched.
class LinkedPeers {
 public:
  explicit LinkedPeers(PeerId peer_count) : neighbors_(peer_count) {}
  explicit LinkedPeers(NeighborLists neighbors) : neighbors_(std::move(neighbors)) {}

  PeerId peer_count() const { return static_cast<PeerId>(neighbors_.size()); }
  const NeighborLists& neighbors() const { return neighbors_; }
  std::span<const PeerId> of(PeerId peer) const { return neighbors_[peer]; }
  bool linked(PeerId a, PeerId b) const;
  bool connected() const;
  std::vector<Edge> edges() const;  ///< ascending

  /// Links two peers that are not linked. Returns true.
  bool link(PeerId a, PeerId b);
  /// Cuts the link between two peers that are linked. Returns true.
  bool cut(PeerId a, PeerId b);
  /// Exchanges the neighbors of `a` and `b`. False if that changes nothing.
  bool exchange(PeerId a, PeerId b);

  /// Joins peers without links, always by the first of `pairs` that fits: first to a tree, then wherever both
  /// ends have fewer links than their `most`, which is at least 1. False if the peers are not connected then.
  bool join(std::span<const Edge> pairs, std::span<const std::size_t> most);

 private:
  NeighborLists neighbors_;
};

}  // namespace hearsay
