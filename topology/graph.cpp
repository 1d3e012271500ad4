#include "topology/graph.hpp"

#include <algorithm>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/sequential_vertex_coloring.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/pending/queue.hpp>
#include <cstdint>
#include <utility>

#include "topology/coloring.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

/// A link is stored as two arcs, one from each end.
using Arcs = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                                boost::no_property, PeerId, std::uint64_t>;

std::string link_text(Edge edge) { return "link " + std::to_string(edge.a) + " - " + std::to_string(edge.b); }

std::vector<Edge> checked(PeerId peer_count, std::vector<Edge> edges) {
  if (peer_count == 0) throw Misuse("a topology needs at least one peer");
  for (Edge& edge : edges) {
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
    if (edge.b >= peer_count)
      throw Misuse(link_text(edge) + ": the peers are 0 to " + std::to_string(peer_count - 1));
    if (edge.a == edge.b) throw Misuse(link_text(edge) + ": a peer cannot be linked with itself");
  }
  if (!std::is_sorted(edges.begin(), edges.end())) std::sort(edges.begin(), edges.end());
  const auto twice = std::adjacent_find(edges.begin(), edges.end());
  if (twice != edges.end()) throw Misuse(link_text(*twice) + " is there twice");
  return edges;
}

/// `edges` are ascending.
Arcs arcs_of(PeerId peer_count, const std::vector<Edge>& edges) {
  // Where the arcs of each peer begin. Those to lower peers come first, since edges are ascending.
  std::vector<std::uint64_t> lower(peer_count + std::size_t{1}, 0);
  std::vector<std::uint64_t> higher(peer_count, 0);
  for (const Edge& edge : edges) {
    ++lower[edge.a + std::size_t{1}];
    ++lower[edge.b + std::size_t{1}];
    ++higher[edge.b];
  }
  for (PeerId peer = 0; peer < peer_count; ++peer) {
    lower[peer + std::size_t{1}] += lower[peer];
    higher[peer] += lower[peer];
  }
  std::vector<std::pair<PeerId, PeerId>> arcs(2 * edges.size());
  for (const Edge& edge : edges) {
    arcs[higher[edge.a]++] = {edge.a, edge.b};
    arcs[lower[edge.b]++] = {edge.b, edge.a};
  }
  return Arcs(boost::edges_are_sorted, arcs.begin(), arcs.end(), peer_count);
}

/// Returns a property map of Boost.Graph: that of peer i is values[i]. `values` outlives it.
template <class Value>
auto by_peer(std::vector<Value>& values, const Arcs& arcs) {
  return boost::make_iterator_property_map(values.begin(), boost::get(boost::vertex_index, arcs));
}

/// Lists the peers in the order in which a search discovers them.
struct Listing : boost::default_bfs_visitor {
  explicit Listing(std::vector<PeerId>& found) : order(&found) {}
  void discover_vertex(PeerId peer, const Arcs&) { order->push_back(peer); }

  std::vector<PeerId>* order;
};

/// The order of a breadth-first search from peer 0, then from the lowest peer of every further component.
std::vector<PeerId> breadth_first_order(const Arcs& arcs) {
  std::vector<PeerId> order;
  order.reserve(boost::num_vertices(arcs));
  std::vector<boost::default_color_type> seen(boost::num_vertices(arcs), boost::white_color);
  boost::queue<PeerId> queue;
  for (PeerId start = 0; start < boost::num_vertices(arcs); ++start)
    if (seen[start] == boost::white_color)
      boost::breadth_first_visit(arcs, start, queue, Listing(order), by_peer(seen, arcs));
  return order;
}

}  // namespace

struct Graph::Storage {
  std::vector<Edge> edges;
  Arcs arcs;
};

Graph::Graph(PeerId peer_count, std::vector<Edge> edges) {
  std::vector<Edge> sorted = checked(peer_count, std::move(edges));
  Arcs arcs = arcs_of(peer_count, sorted);
  storage_ = std::make_shared<const Storage>(Storage{std::move(sorted), std::move(arcs)});
}

PeerId Graph::peer_count() const { return boost::num_vertices(storage_->arcs); }

const std::vector<Edge>& Graph::edges() const { return storage_->edges; }

std::span<const PeerId> Graph::neighbors(PeerId peer) const {
  ensure(peer < peer_count(), "neighbors are asked of a peer of the graph");
  const auto [first, last] = boost::adjacent_vertices(peer, storage_->arcs);
  return {first, last};
}

std::size_t Graph::min_degree() const {
  std::size_t least = degree(0);
  for (PeerId peer = 1; peer < peer_count(); ++peer) least = std::min(least, degree(peer));
  return least;
}

std::size_t Graph::max_degree() const {
  std::size_t most = 0;
  for (PeerId peer = 0; peer < peer_count(); ++peer) most = std::max(most, degree(peer));
  return most;
}

bool Graph::adjacent(PeerId a, PeerId b) const {
  const auto around = neighbors(a);
  return std::binary_search(around.begin(), around.end(), b);
}

std::vector<std::size_t> Graph::components() const {
  std::vector<std::size_t> component(peer_count());
  const Arcs& arcs = storage_->arcs;
  // Arcs come in opposite pairs, so the strong components are the components.
  boost::strong_components(arcs, by_peer(component, arcs));
  return component;
}

std::size_t Graph::component_count() const {
  const std::vector<std::size_t> component = components();
  return *std::max_element(component.begin(), component.end()) + 1;
}

std::vector<std::uint32_t> greedy_coloring(const Graph& graph) {
  const Arcs& arcs = graph.storage_->arcs;
  std::vector<PeerId> order = breadth_first_order(arcs);
  std::vector<std::uint32_t> colors(order.size());
  boost::sequential_vertex_coloring(arcs, by_peer(order, arcs), by_peer(colors, arcs));
  return colors;
}

}  // namespace hearsay
