#pragma once

#include <compare>
#include <cstddef>
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
  /// The order of the edges and of their ends does not matter. Misuse if there are no peers, a peer is linked
  /// with itself, an end is no peer, or a link is given twice.
  Graph(PeerId peer_count, std::vector<Edge> edges);

  PeerId peer_count() const;
  const std::vector<Edge>& edges() const;                ///< ascending
  std::span<const PeerId> neighbors(PeerId peer) const;  ///< ascending, without the peer itself
  std::size_t degree(PeerId peer) const { return neighbors(peer).size(); }
  std::size_t min_degree() const;
  std::size_t max_degree() const;
  bool adjacent(PeerId a, PeerId b) const;

  /// For every peer the number 0, 1, ... of the connected component it is in.
  std::vector<std::size_t> components() const;
  std::size_t component_count() const;
  bool connected() const { return component_count() == 1; }

 private:
  struct Storage;
  std::shared_ptr<const Storage> storage_;
};

/// Links from `peer` to the peer farthest from it; the graph is connected. One breadth-first search.
unsigned eccentricity(const Graph& graph, PeerId peer);

/// Links between the two peers farthest apart; the graph is connected. Exact, by breadth-first search from
/// every peer; if the graph is compact, 512 searches run at a time, bit by bit. O(n m) for n peers and m
/// links; at most about two seconds for 10,000 peers in any family.
unsigned diameter(const Graph& graph);

/// Misuse unless the graph is connected: gossip never reaches agreement across components. The message says
/// how many components there are and which two peers are out of each other's reach. It calls the graph
/// `origin`.
void require_connected(const Graph& graph, const std::string& origin = "the topology");

}  // namespace hearsay
