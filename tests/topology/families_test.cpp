#include "topology/families.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/graph_random.hpp"

namespace families_test {

using hearsay::contains;
using hearsay::Graph;
using hearsay::make_graph;
using hearsay::misuse_text;
using hearsay::PeerId;

namespace {

const std::vector<std::string> random_spellings = {"random-regular(4)", "erdos-renyi(0.3)",
                                                   "small-world(4, 0.3)", "geometric(0.4)"};

}  // namespace

TEST_CASE("families: degrees are the family's") {
  const auto regular = [](const std::string& spelling, PeerId peers, std::size_t degree) {
    const Graph graph = make_graph(spelling, peers, 3);
    return graph.min_degree() == degree && graph.max_degree() == degree && graph.connected();
  };
  CHECK(regular("ring", 9, 2));
  CHECK(regular("complete", 9, 8));
  CHECK(regular("torus(3x5)", 15, 4));
  CHECK(regular("hypercube", 16, 4));
  CHECK(regular("exponential", 16, 7));  // 8 ahead and 8 back are the same peer
  CHECK(regular("exponential", 18, 8));  // 16 ahead is the same peer as 2 back
  CHECK(regular("exponential", 19, 10));
  CHECK(make_graph("grid(3x5)", 15, 0).edges().size() == 3 * 4 + 2 * 5);
  CHECK(make_graph("star", 9, 0).degree(0) == 8);
  CHECK(make_graph("path", 9, 0).edges().size() == 8);
}

TEST_CASE("families: random-regular is simple, regular and connected for every degree that exists") {
  for (PeerId peers = 1; peers <= 14; ++peers)
    for (PeerId degree = 0; degree < peers; ++degree) {
      CAPTURE(peers);
      CAPTURE(degree);
      const bool exists = (peers * degree) % 2 == 0 && (degree >= 2 || peers == degree + 1);
      const std::string spelling = "random-regular(" + std::to_string(degree) + ")";
      if (!exists) {
        CHECK_THROWS_AS(make_graph(spelling, peers, 1), hearsay::Misuse);
        continue;
      }
      const Graph graph = make_graph(spelling, peers, 1);  // Graph itself refuses loops and links given twice
      CHECK(graph.min_degree() == degree);
      CHECK(graph.max_degree() == degree);
      CHECK(graph.connected());
    }
  const Graph large = make_graph("random-regular(9)", 2000, 1);
  CHECK(large.min_degree() == 9);
  CHECK(large.max_degree() == 9);
}

TEST_CASE("families: one seed is one graph, another seed another") {
  for (const std::string& spelling : random_spellings) {
    CAPTURE(spelling);
    CHECK(make_graph(spelling, 40, 7).edges() == make_graph(spelling, 40, 7).edges());
    CHECK(make_graph(spelling, 40, 7).edges() != make_graph(spelling, 40, 8).edges());
  }
}

TEST_CASE("families: the families that draw by the seed are random, and no others") {
  for (const hearsay::Choice& family : hearsay::family_choices()) {
    const auto random = std::ranges::find_if(
        random_spellings, [&](const std::string& spelling) { return spelling.starts_with(family.name); });
    CAPTURE(family.name);
    CHECK(hearsay::is_random_family(family.name + family.arguments) == (random != random_spellings.end()));
  }
  CHECK(hearsay::is_random_family(" small-world (4, 0.1)"));
}

TEST_CASE("families: random graphs are connected, for any seed") {
  for (const std::string& spelling : random_spellings)
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
      CAPTURE(spelling);
      CAPTURE(seed);
      CHECK(make_graph(spelling, 24, seed).connected());
    }
}

TEST_CASE("families: small-world keeps the number of links, and the ring lattice where nothing is rewired") {
  CHECK(make_graph("small-world(6, 0.5)", 50, 2).edges().size() == 150);
  CHECK(make_graph("small-world(6, 1)", 50, 2).edges().size() == 150);
  const Graph lattice = make_graph("small-world(4, 0)", 10, 2);
  for (PeerId peer = 0; peer < 10; ++peer) {
    CHECK(lattice.adjacent(peer, (peer + 1) % 10));
    CHECK(lattice.adjacent(peer, (peer + 2) % 10));
  }
  CHECK(make_graph("small-world(4, 1)", 5, 2).edges() == make_graph("complete", 5, 0).edges());
}

TEST_CASE("families: geometric finds the same links through cells as by comparing all pairs") {
  // The points are the first draws of the graph's own stream. At this radius the first draw is connected.
  const PeerId peers = 300;
  const double radius = 0.15;
  hearsay::GraphRandom random(11, 0);
  std::vector<std::pair<double, double>> points(peers);
  for (auto& [x, y] : points) {
    x = random.uniform();
    y = random.uniform();
  }
  std::vector<hearsay::Edge> edges;
  for (PeerId a = 0; a < peers; ++a)
    for (PeerId b = a + 1; b < peers; ++b) {
      const double dx = points[a].first - points[b].first;
      const double dy = points[a].second - points[b].second;
      if (dx * dx + dy * dy <= radius * radius) edges.push_back({a, b});
    }
  CHECK(make_graph("geometric(0.15)", peers, 11).edges() == edges);
}

TEST_CASE("families: erdos-renyi draws each connected graph as often as its links and its gaps say") {
  constexpr PeerId peers = 4;
  constexpr double probability = 0.4;
  constexpr int draws = 20'000;
  std::map<std::vector<hearsay::Edge>, int> drawn;
  for (int seed = 0; seed < draws; ++seed)
    ++drawn[make_graph("erdos-renyi(0.4)", peers, static_cast<std::uint64_t>(seed)).edges()];
  CHECK(drawn.size() == 38);  // all connected graphs of four peers that have names
  double connected = 0.0;
  const auto weight = [&](std::size_t links) {
    return std::pow(probability, links) * std::pow(1.0 - probability, 6 - links);
  };
  for (const auto& [edges, times] : drawn) connected += weight(edges.size());
  for (const auto& [edges, times] : drawn) {
    CAPTURE(edges.size());
    const double expected = draws * weight(edges.size()) / connected;
    CHECK(std::abs(times - expected) < 5.0 * std::sqrt(expected));
  }
}

TEST_CASE("families: a large sparse erdos-renyi graph takes the time of its links") {
  constexpr PeerId peers = 100'000;  // 5e9 pairs
  const Graph graph = make_graph("erdos-renyi(0.0002)", peers, 3);
  const double expected = 0.0002 * 0.5 * peers * (peers - 1.0);
  CHECK(std::abs(static_cast<double>(graph.edges().size()) - expected) < 5.0 * std::sqrt(expected));
  double sum_of_ends = 0.0;  // links lie everywhere alike
  for (const auto& edge : graph.edges()) sum_of_ends += 0.5 * (edge.a + edge.b);
  CHECK(std::abs(sum_of_ends / static_cast<double>(graph.edges().size()) / peers - 0.5) < 0.002);
}

TEST_CASE("families: extreme probabilities and radii give the complete graph") {
  const auto complete = make_graph("complete", 12, 0).edges();
  CHECK(make_graph("erdos-renyi(1)", 12, 4).edges() == complete);
  CHECK(make_graph("geometric(1.5)", 12, 4).edges() == complete);
  CHECK(make_graph("random-regular(11)", 12, 4).edges() == complete);
}

TEST_CASE("families: with 1, 2 and 3 peers each family works or refuses") {
  for (const hearsay::Choice& family : hearsay::family_choices())
    for (PeerId peers = 1; peers <= 3; ++peers)
      for (const std::string arguments : {"", "(1x2)", "(3x1)", "(0)", "(1)", "(2)", "(0.5)", "(2, 0.5)"}) {
        CAPTURE(family.name);
        CAPTURE(arguments);
        CAPTURE(peers);
        try {
          const Graph graph = make_graph(family.name + arguments, peers, 0);
          CHECK(graph.peer_count() == peers);
          CHECK(graph.connected());
        } catch (const hearsay::Misuse& misuse) {
          const std::string sentence = misuse.what();
          CHECK(sentence.rfind("topology.", 0) == 0);
        }
      }
  CHECK(make_graph("ring", 2, 0).edges().size() == 1);
  CHECK(make_graph("ring", 1, 0).edges().empty());
  CHECK(make_graph("torus(2x2)", 4, 0).edges() == make_graph("hypercube", 4, 0).edges());
}

TEST_CASE("families: a wrong number of peers is named, with what would fit") {
  CHECK(misuse_text([] { make_graph("torus(4x4)", 12, 0); }) ==
        "topology.peers = 12: torus(4x4) needs 16 peers; 12 fit torus(3x4)");
  CHECK(misuse_text([] { make_graph("hypercube", 12, 0); }) ==
        "topology.peers = 12: a hypercube needs a power of two, such as 8 or 16");
  CHECK(contains(misuse_text([] { make_graph("ring", 0, 0); }), "topology.peers = 0"));
  CHECK(contains(misuse_text([] { make_graph("complete", 4000000000u, 0); }), "topology.peers = 4000000000"));
  CHECK(contains(misuse_text([] { make_graph("random-regular(3)", 7, 0); }), "even degree"));
}

TEST_CASE("families: an unknown family names the nearest") {
  CHECK(contains(misuse_text([] { make_graph("rnig", 8, 0); }), "topology.kind = rnig: did you mean ring?"));
  for (const std::string beyond : {"torus(100000x100000)", "grid(3x5000000000)"})
    CHECK(misuse_text([&] { make_graph(beyond, 16, 0); }) ==
          "topology.kind = " + beyond + ": expected at most 4294967295 peers");
  CHECK(contains(misuse_text([] { make_graph("tours(4x4)", 16, 0); }), "did you mean torus(AxB)?"));
  CHECK(contains(misuse_text([] { make_graph(std::string(100000, 'x'), 8, 0); }), "expected one of ring"));
}

TEST_CASE("families: hostile arguments are refused with the key") {
  for (const std::string spelling : {"",
                                     "ring(",
                                     "ring)",
                                     "ring()",
                                     "ring(3)",
                                     "(4)",
                                     "torus",
                                     "torus(4)",
                                     "torus(x)",
                                     "torus(0x4)",
                                     "torus(4x)",
                                     "torus(-4x-4)",
                                     "torus(99999999999x2)",
                                     "torus(4294967295x4294967295)",
                                     "torus(4x4x4)",
                                     "grid(4,4)",
                                     "random-regular",
                                     "random-regular(-1)",
                                     "random-regular(8)",
                                     "random-regular(4.5)",
                                     "random-regular(0)",
                                     "random-regular(99999999999999999999)",
                                     "erdos-renyi(0)",
                                     "erdos-renyi(1.1)",
                                     "erdos-renyi(nan)",
                                     "erdos-renyi(1e-9)",
                                     "small-world(3, 0.1)",
                                     "small-world(8, 0.1)",
                                     "small-world(4)",
                                     "small-world(4, -1)",
                                     "small-world(0, 0)",
                                     "geometric(0)",
                                     "geometric(-1)",
                                     "geometric(inf)",
                                     "geometric(0.01)",
                                     "ring ring"}) {
    CAPTURE(spelling);
    CHECK(contains(misuse_text([&] { make_graph(spelling, 8, 0); }), "topology.kind = "));
  }
}

TEST_CASE("families: a graph that will not connect says from where on it would") {
  const std::string sentence = misuse_text([] { make_graph("geometric(0.01)", 100, 0); });
  CHECK(contains(sentence, "topology.kind = geometric(0.01): no connected graph"));
  CHECK(contains(sentence, "from a radius of about 0.149"));
}

TEST_CASE("families: a specification is the spelling with the peers in front") {
  const auto parsed = [](const std::string& spec) {
    const auto [spelling, peers] = hearsay::parse_topology_spec(spec);
    return spelling + " on " + std::to_string(peers);
  };
  CHECK(parsed("ring(16)") == "ring on 16");
  CHECK(parsed(" random-regular( 16,4 ) ") == "random-regular(4) on 16");
  CHECK(parsed("small-world(100, 4, 0.1)") == "small-world(4, 0.1) on 100");
  CHECK(parsed("torus(4x4)") == "torus(4x4) on 16");
  for (const std::string spec :
       {"ring", "ring(x)", "ring(0)", "rin(8)", "torus(16)", "torus(16, 4x4)", "ring(16"})
    CHECK_FALSE(misuse_text([&] { hearsay::parse_topology_spec(spec); }).empty());
  // What is missing is the number of peers, not the one argument that a run file has.
  CHECK(contains(misuse_text([] { hearsay::parse_topology_spec("hub-tree(3)"); }), "as in hub-tree(16, g)"));
}

}  // namespace families_test
