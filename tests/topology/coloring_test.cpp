#include "topology/coloring.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "topology/families.hpp"

namespace hearsay::coloring_test {

namespace {

/// Orients every link toward the smaller color and removes, again and again, the peers that point at no peer
/// that is left. Returns how many are removed: all of them iff the orientation has no cycle.
std::size_t sorted_by_repeated_removal(const Graph& graph, const std::vector<std::uint32_t>& colors) {
  std::vector<std::size_t> points_at(graph.peer_count());
  std::vector<PeerId> removed;
  for (PeerId peer = 0; peer < graph.peer_count(); ++peer) {
    for (const PeerId neighbor : graph.neighbors(peer)) points_at[peer] += colors[neighbor] < colors[peer];
    if (points_at[peer] == 0) removed.push_back(peer);
  }
  for (std::size_t next = 0; next < removed.size(); ++next)
    for (const PeerId neighbor : graph.neighbors(removed[next]))
      if (colors[neighbor] > colors[removed[next]] && --points_at[neighbor] == 0) removed.push_back(neighbor);
  return removed.size();
}

/// The colors as coloring.hpp defines them, written out: they are a part of what a run computes.
std::vector<std::uint32_t> colors_in_breadth_first_order(const Graph& graph) {
  constexpr std::uint32_t none = ~0u;
  std::vector<std::uint32_t> colors(graph.peer_count(), none);
  std::vector<bool> found(graph.peer_count());
  std::vector<PeerId> order;
  const auto find = [&](PeerId peer) {
    if (!found[peer]) order.push_back(peer);
    found[peer] = true;
  };
  for (PeerId start = 0, next = 0; start < graph.peer_count(); ++start)
    for (find(start); next < order.size(); ++next) {
      const std::span<const PeerId> neighbors = graph.neighbors(order[next]);
      std::uint32_t color = 0;
      while (std::ranges::any_of(neighbors, [&](PeerId neighbor) { return colors[neighbor] == color; }))
        ++color;
      colors[order[next]] = color;
      for (const PeerId neighbor : neighbors) find(neighbor);
    }
  return colors;
}

struct Family {
  const char* kind;
  PeerId peers;
};

const std::vector<Family> families = {{"ring", 8},      {"ring", 9},     {"path", 5},
                                      {"star", 6},      {"complete", 7}, {"torus(4x4)", 16},
                                      {"ring", 1},      {"ring", 2},     {"random-regular(4)", 24},
                                      {"hypercube", 16}};

}  // namespace

TEST_CASE("coloring: the smallest free color, in the order of a breadth-first search from the lowest peers") {
  for (const Family& family : families)
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(family.kind);
      CAPTURE(seed);
      const Graph graph = make_graph(family.kind, family.peers, seed);
      CHECK(greedy_coloring(graph) == colors_in_breadth_first_order(graph));
    }
  const Graph parts(9, {{1, 4}, {4, 7}, {7, 1}, {2, 3}, {3, 8}, {8, 0}, {0, 2}, {2, 8}});
  CHECK_FALSE(parts.connected());
  CHECK(greedy_coloring(parts) == colors_in_breadth_first_order(parts));
  CHECK(greedy_coloring(parts) == std::vector<std::uint32_t>{0, 0, 1, 0, 1, 0, 0, 2, 2});
}

TEST_CASE("coloring: neighbors differ, no color is left out below, and no path of falling colors returns") {
  for (const Family& family : families)
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(family.kind);
      CAPTURE(seed);
      const Graph graph = make_graph(family.kind, family.peers, seed);
      const std::vector<std::uint32_t> colors = greedy_coloring(graph);
      for (PeerId peer = 0; peer < graph.peer_count(); ++peer) {
        std::vector<bool> seen(colors[peer]);
        for (const PeerId neighbor : graph.neighbors(peer)) {
          CHECK(colors[neighbor] != colors[peer]);
          if (colors[neighbor] < colors[peer]) seen[colors[neighbor]] = true;
        }
        CHECK(std::count(seen.begin(), seen.end(), false) == 0);
      }
      CHECK(std::ranges::max(colors) <= graph.max_degree());
      CHECK(sorted_by_repeated_removal(graph, colors) == graph.peer_count());
    }
}

TEST_CASE("coloring: a bipartite graph takes two colors, whatever its peers are called") {
  for (const char* kind : {"ring", "path", "star", "hypercube", "torus(4x4)"})
    CHECK(std::ranges::max(greedy_coloring(make_graph(kind, 16, 1))) == 1);
  // The path 0 - 2 - 3 - 1: colored in the order of the ids it would take three colors.
  CHECK(greedy_coloring(Graph(4, {{0, 2}, {2, 3}, {3, 1}})) == std::vector<std::uint32_t>{0, 1, 1, 0});
  // The complete bipartite graph on 3 and 3 peers without a perfect matching, ids alternating: a ring of six.
  CHECK(std::ranges::max(greedy_coloring(Graph(6, {{0, 3}, {0, 5}, {2, 1}, {2, 5}, {4, 1}, {4, 3}}))) == 1);
}

TEST_CASE("coloring: by hand on a ring of five, and of parts that do not know of each other") {
  CHECK(greedy_coloring(make_graph("ring", 5, 1)) == std::vector<std::uint32_t>{0, 1, 0, 2, 1});
  CHECK(greedy_coloring(Graph(5, {{0, 1}, {3, 4}})) == std::vector<std::uint32_t>{0, 1, 0, 0, 1});
}

}  // namespace hearsay::coloring_test
