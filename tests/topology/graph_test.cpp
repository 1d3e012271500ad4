#include "topology/graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/diameter.hpp"
#include "topology/families.hpp"
#include "topology/foundation/misuse.hpp"

namespace graph_test {

using hearsay::Edge;
using hearsay::Graph;
using hearsay::make_graph;
using hearsay::misuse_text;
using hearsay::PeerId;

namespace {

/// All distances by Floyd and Warshall's recursion: a second opinion on the diameter.
unsigned diameter_by_relaxation(const Graph& graph) {
  const PeerId n = graph.peer_count();
  std::vector<std::vector<unsigned>> distance(n, std::vector<unsigned>(n, n));
  for (PeerId i = 0; i < n; ++i) distance[i][i] = 0;
  for (const Edge& edge : graph.edges()) distance[edge.a][edge.b] = distance[edge.b][edge.a] = 1;
  for (PeerId k = 0; k < n; ++k)
    for (PeerId i = 0; i < n; ++i)
      for (PeerId j = 0; j < n; ++j)
        distance[i][j] = std::min(distance[i][j], distance[i][k] + distance[k][j]);
  unsigned largest = 0;
  for (const auto& row : distance) largest = std::max(largest, *std::max_element(row.begin(), row.end()));
  return largest;
}

}  // namespace

TEST_CASE("graph: neighbors and edges are ascending whatever order the links come in") {
  const Graph graph(4, {{3, 1}, {2, 0}, {0, 1}, {3, 0}});
  CHECK(graph.edges() == std::vector<Edge>{{0, 1}, {0, 2}, {0, 3}, {1, 3}});
  const auto around = graph.neighbors(0);
  CHECK(std::vector<PeerId>(around.begin(), around.end()) == std::vector<PeerId>{1, 2, 3});
  CHECK(graph.degree(2) == 1);
  CHECK(graph.min_degree() == 1);
  CHECK(graph.max_degree() == 3);
  CHECK(graph.adjacent(1, 3));
  CHECK_FALSE(graph.adjacent(2, 3));
}

TEST_CASE("graph: what is no simple graph is refused with the link in the sentence") {
  CHECK(misuse_text([] { Graph(0, {}); }) == "a topology needs at least one peer");
  CHECK(misuse_text([] { Graph(3, {{1, 1}}); }) == "link 1 - 1: a peer cannot be linked with itself");
  CHECK(misuse_text([] { Graph(3, {{0, 3}}); }) == "link 0 - 3: the peers are 0 to 2");
  CHECK(misuse_text([] { Graph(3, {{0, 2}, {2, 0}}); }) == "link 0 - 2 is there twice");
}

TEST_CASE("graph: components are counted") {
  const Graph parts(5, {{0, 3}, {1, 2}});
  CHECK(parts.component_count() == 3);
  CHECK_FALSE(parts.connected());
  CHECK(parts.components()[0] == parts.components()[3]);
  CHECK(parts.components()[0] != parts.components()[1]);
  CHECK(Graph(1, {}).connected());
}

TEST_CASE("graph: diameters of the families have their closed forms") {
  for (PeerId n = 1; n <= 40; ++n) {
    CAPTURE(n);
    CHECK(hearsay::diameter(make_graph("ring", n, 0)) == n / 2);
    CHECK(hearsay::diameter(make_graph("path", n, 0)) == n - 1);
    CHECK(hearsay::diameter(make_graph("complete", n, 0)) == std::min<PeerId>(n - 1, 1));
    CHECK(hearsay::diameter(make_graph("star", n, 0)) == std::min<PeerId>(n - 1, 2));
  }
  for (unsigned bits = 0; bits <= 7; ++bits)
    CHECK(hearsay::diameter(make_graph("hypercube", PeerId{1} << bits, 0)) == bits);
  CHECK(hearsay::diameter(make_graph("torus(4x7)", 28, 0)) == 2 + 3);
  CHECK(hearsay::diameter(make_graph("grid(4x7)", 28, 0)) == 3 + 6);
}

TEST_CASE("graph: 100,000 peers on a long graph are not all searched from") {
  // From all of them it took 38 s.
  CHECK(hearsay::diameter(make_graph("ring", 100'000, 0)) == 50'000);
  CHECK(hearsay::diameter(make_graph("torus(50x2000)", 100'000, 0)) == 25 + 1000);
  CHECK(hearsay::diameter(make_graph("path", 100'000, 0)) == 99'999);
  CHECK(hearsay::diameter(make_graph("grid(50x2000)", 100'000, 0)) == 49 + 1999);
}

TEST_CASE("graph: long and compact graphs get the diameter that relaxation finds") {
  for (const char* spelling :
       {"random-regular(3)", "small-world(2, 0.05)", "geometric(0.2)", "exponential"}) {
    CAPTURE(spelling);
    const Graph graph = make_graph(spelling, 130, 5);
    CHECK(hearsay::diameter(graph) == diameter_by_relaxation(graph));
  }
  // A cycle of 350 with tails of 1 to 9 links: long, and not the same from everywhere.
  std::vector<Edge> edges;
  for (PeerId peer = 0; peer < 350; ++peer) edges.push_back({peer, (peer + 1) % 350});
  for (PeerId peer = 350; peer < 400; ++peer)
    edges.push_back({peer, peer % 10 == 0 ? peer * 7 % 350 : peer - 1});
  const Graph tailed(400, edges);
  CHECK(hearsay::diameter(tailed) == diameter_by_relaxation(tailed));
  // More than one batch of 512 searches at a time.
  CHECK(hearsay::diameter(make_graph("hypercube", 1024, 0)) == 10);
  CHECK(hearsay::diameter(make_graph("star", 1100, 0)) == 2);
}

TEST_CASE("graph: a bounded diameter is exact on small graphs, and on large ones that few searches settle") {
  for (const char* spelling :
       {"random-regular(3)", "small-world(2, 0.05)", "geometric(0.2)", "exponential", "hub-tree(7)"}) {
    CAPTURE(spelling);
    const Graph graph = make_graph(spelling, 130, 5);
    const hearsay::Diameter bounds = hearsay::bounded_diameter(graph);
    CHECK(bounds.is_exact());
    CHECK(bounds.most == diameter_by_relaxation(graph));
  }
  // From all peers, 512 at a time, they took minutes.
  for (const auto& [spelling, diameter] : {std::pair("star", 2u), std::pair("hub-tree(500)", 4u)}) {
    const hearsay::Diameter bounds = hearsay::bounded_diameter(make_graph(spelling, 300'000, 0));
    CHECK(bounds.is_exact());
    CHECK(bounds.most == diameter);
  }
}

TEST_CASE("graph: the diameter of a large random graph is bounded, and the bounds enclose distances") {
  const Graph graph = make_graph("random-regular(4)", 200'000, 1);
  const hearsay::Diameter bounds = hearsay::bounded_diameter(graph);
  // A peer reaches at most 4 (3^10 - 1) / 2 = 118,096 others by 10 links.
  CHECK(bounds.least >= 11);
  CHECK(bounds.least < bounds.most);
  CHECK(bounds.most <= 2 * bounds.least);
}

}  // namespace graph_test
