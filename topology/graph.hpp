#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// An undirected link; a < b in every Graph.
struct Edge {
  PeerId a;
  PeerId b;
  auto operator<=>(const Edge&) const = default;
};

/// Who is linked with whom: a simple undirected graph on the peers 0 ... n-1, kept as a Boost.Graph
/// compressed sparse row graph. Immutable, and cheap to copy (copies share the storage).
class Graph {
 public:
  /// Builds the graph from edges in any order, their ends in any order. Misuse if there are no peers, a peer
  /// is linked with itself, an end is not below peer_count, or a link is given twice.
  Graph(PeerId peer_count, std::vector<Edge> edges);

  PeerId peer_count() const;
  const std::vector<Edge>& edges() const;                ///< ascending
  std::span<const PeerId> neighbors(PeerId peer) const;  ///< ascending, without the peer itself
  std::size_t degree(PeerId peer) const { return neighbors(peer).size(); }
  std::size_t min_degree() const;
  std::size_t max_degree() const;
  bool adjacent(PeerId a, PeerId b) const;

  /// For every peer, the number 0, 1, ... of its connected component.
  std::vector<std::size_t> components() const;
  std::size_t component_count() const;
  bool connected() const { return component_count() == 1; }

 private:
  friend std::vector<std::uint32_t> greedy_coloring(const Graph& graph);
  struct Storage;
  std::shared_ptr<const Storage> storage_;
};

/// The largest number of links on a shortest path between two peers. The graph must be connected. Exact: by
/// one breadth-first search if the graph looks the same from every peer (ring, torus, hypercube,
/// exponential); else from as many peers as its bounds leave open, or, if the diameter is small, from all,
/// 512 at a time as bits of a word array. At worst O(n m) for n peers and m links.
unsigned diameter(const Graph& graph);

}  // namespace hearsay
