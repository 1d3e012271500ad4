#include "topology/fixed_graphs.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace hearsay {
namespace {

/// The graph of `edges`, whose ends may be in any order. On few peers a family's rule gives some links twice,
/// or links from a peer to itself; those are dropped.
Graph folded(PeerId peer_count, std::vector<Edge> edges) {
  for (Edge& edge : edges)
    if (edge.a > edge.b) std::swap(edge.a, edge.b);
  std::erase_if(edges, [](Edge edge) { return edge.a == edge.b; });
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return Graph(peer_count, std::move(edges));
}

Graph lattice(PeerId rows, PeerId columns, bool wrap) {
  std::vector<Edge> edges;
  for (PeerId row = 0; row < rows; ++row)
    for (PeerId column = 0; column < columns; ++column) {
      const PeerId here = row * columns + column;
      if (wrap || column + 1 < columns) edges.push_back({here, row * columns + (column + 1) % columns});
      if (wrap || row + 1 < rows) edges.push_back({here, (row + 1) % rows * columns + column});
    }
  return folded(rows * columns, std::move(edges));
}

}  // namespace

Graph ring_graph(PeerId peer_count) { return torus_graph(1, peer_count); }

Graph path_graph(PeerId peer_count) { return grid_graph(1, peer_count); }

Graph complete_graph(PeerId peer_count) {
  std::vector<Edge> edges;
  for (PeerId a = 0; a < peer_count; ++a)
    for (PeerId b = a + 1; b < peer_count; ++b) edges.push_back({a, b});
  return Graph(peer_count, std::move(edges));
}

Graph star_graph(PeerId peer_count) {
  std::vector<Edge> edges;
  for (PeerId leaf = 1; leaf < peer_count; ++leaf) edges.push_back({0, leaf});
  return Graph(peer_count, std::move(edges));
}

Graph hub_tree_graph(PeerId peer_count, PeerId groups) {
  std::vector<Edge> edges;
  for (PeerId peer = 1; peer < peer_count; ++peer)
    edges.push_back({peer <= groups ? 0 : 1 + (peer - groups - 1) % groups, peer});
  return Graph(peer_count, std::move(edges));
}

Graph torus_graph(PeerId rows, PeerId columns) { return lattice(rows, columns, true); }

Graph grid_graph(PeerId rows, PeerId columns) { return lattice(rows, columns, false); }

Graph hypercube_graph(unsigned dimensions) {
  const PeerId peer_count = PeerId{1} << dimensions;
  std::vector<Edge> edges;
  for (PeerId peer = 0; peer < peer_count; ++peer)
    for (PeerId bit = 1; bit < peer_count; bit <<= 1)
      if ((peer & bit) == 0) edges.push_back({peer, peer | bit});
  return Graph(peer_count, std::move(edges));
}

Graph exponential_graph(PeerId peer_count) {
  std::vector<Edge> edges;
  for (PeerId peer = 0; peer < peer_count; ++peer)
    for (std::uint64_t hop = 1; hop < peer_count; hop *= 2)
      edges.push_back({peer, static_cast<PeerId>((peer + hop) % peer_count)});
  return folded(peer_count, std::move(edges));
}

}  // namespace hearsay
