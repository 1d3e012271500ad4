#include "topology/fastest_mixing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/families.hpp"
#include "topology/graph_random.hpp"
#include "topology/mixing.hpp"
#include "topology/spectrum.hpp"

namespace hearsay::fastest_mixing_test {

namespace {

Graph graph_of(const std::string& spec) {
  const TopologySpec parsed = parse_topology_spec(spec);
  return make_graph(parsed.spelling, parsed.peers, 3);
}

/// The same graph with its peers renumbered at random, so that links_look_alike does not recognize it.
Graph renumbered(const Graph& graph) {
  std::vector<PeerId> numbers(graph.peer_count());
  std::iota(numbers.begin(), numbers.end(), PeerId{0});
  GraphRandom(5).shuffle(numbers);
  std::vector<Edge> edges;
  for (const Edge& edge : graph.edges()) edges.push_back({numbers[edge.a], numbers[edge.b]});
  return Graph(graph.peer_count(), edges);
}

double rho(const MixingMatrix& mixing) { return spectrum(mixing).rho; }

/// Rounding the weights down to multiples of 2^-30 raises rho by at most 2^-30 times the largest eigenvalue
/// of the Laplacian, which is at most twice the largest degree.
double spelling_error(const Graph& graph) { return 0x1p-29 * static_cast<double>(graph.max_degree()); }

const std::vector<std::string> irregular = {
    "grid(4x6)",       "erdos-renyi(20, 0.3)", "geometric(30, 0.35)",   "small-world(24, 4, 0.3)",
    "exponential(12)", "torus(3x5)",           "random-regular(20, 3)", "path(12)"};

}  // namespace

TEST_CASE("fastest: the published radii are reached or beaten, and proven to be the least") {
  const auto check = [](const std::string& spec, double published, double known) {
    CAPTURE(spec);
    const MixingMatrix mixing = MixingMatrix::fastest(graph_of(spec));
    CHECK(rho(mixing) <= published);
    CHECK(*mixing.least_rho() > known - 1e-5);
    CHECK(rho(mixing) - *mixing.least_rho() < 1e-8);
  };
  check("grid(8x5)", 0.93744, 0.93738);
  check("ring(40)", 0.987763671, 0.98776367);
  check("star(40)", 0.951219693, 0.95121951);
}

TEST_CASE("fastest: where all links look alike, the solver finds the closed form") {
  for (const char* spec :
       {"ring(9)", "ring(40)", "star(12)", "star(40)", "torus(4x4)", "hypercube(16)", "complete(7)"}) {
    CAPTURE(spec);
    const Graph graph = graph_of(spec);
    const Graph other = renumbered(graph);
    CHECK(links_look_alike(graph));
    CHECK(links_look_alike(other) == (std::string(spec) == "complete(7)"));
    for (const LinkWeights kind : {LinkWeights::any, LinkWeights::averages}) {
      const bool any = kind == LinkWeights::any;
      const MixingMatrix closed = any ? MixingMatrix::fastest(graph) : MixingMatrix::fastest_chain(graph);
      const FastestWeights solved = fastest_weights(other, kind);
      CHECK(std::abs(solved.least_rho - rho(closed)) < 1e-8);
      for (const double weight : solved.edge_weights)
        CHECK(std::abs(weight - closed.row(0).hears[0].weight) < 1e-6);
      if (any) CHECK(rho(closed) == rho(MixingMatrix::best_constant(graph)));
    }
  }
  for (const std::string& spec : irregular) CHECK_FALSE(links_look_alike(graph_of(spec)));
}

TEST_CASE("fastest: on a path of n all weights are 1/2, and the radius is cos(pi / n)") {
  // Boyd, Diaconis, Sun, Xiao 2006.
  for (const PeerId n : {4u, 7u, 10u, 25u}) {
    const Graph path = make_graph("path", n, 0);
    const MixingMatrix chain = MixingMatrix::fastest_chain(path);
    CHECK(std::abs(rho(chain) - std::cos(std::numbers::pi / n)) < 1e-8);
    CHECK(std::abs(*chain.least_rho() - std::cos(std::numbers::pi / n)) < 1e-8);
  }
}

TEST_CASE("fastest: the certificate is tight, and holds against every other matrix tried") {
  for (const std::string& spec : irregular) {
    CAPTURE(spec);
    const Graph graph = graph_of(spec);
    const MixingMatrix fastest = MixingMatrix::fastest(graph);
    const MixingMatrix chain = MixingMatrix::fastest_chain(graph);
    for (const MixingMatrix* mixing : {&fastest, &chain}) {
      CHECK(rho(*mixing) > *mixing->least_rho() - 1e-11);
      CHECK(rho(*mixing) - *mixing->least_rho() < spelling_error(graph) + 1e-8);
    }
    CHECK(*fastest.least_rho() < *chain.least_rho() + 1e-9);
    for (const char* weights : {"metropolis", "max-degree", "lazy"})
      CHECK(rho(make_mixing(weights, graph)) > *chain.least_rho());
    CHECK(rho(MixingMatrix::best_constant(graph)) > *fastest.least_rho() - 1e-11);
    // Matrices around the optimum would show a bound that is too high.
    const std::vector<double> best = fastest_weights(graph, LinkWeights::any).edge_weights;
    GraphRandom random(1);
    for (int trial = 0; trial < 100; ++trial) {
      std::vector<double> near = best;
      const double size = std::pow(10.0, -1.0 - 7.0 * random.uniform());
      for (double& weight : near) weight += size * (random.uniform() - 0.5);
      CHECK(rho(MixingMatrix::explicit_weights(graph, near)) > *fastest.least_rho() - 1e-11);
    }
  }
}

TEST_CASE("fastest-chain: weights and self weights are averages, on the links that are worth using") {
  std::size_t unused = 0;
  for (const std::string spec :
       {"grid(4x6)", "geometric(30, 0.35)", "small-world(24, 4, 0.3)", "star(12)", "star(2)"}) {
    CAPTURE(spec);
    const Graph graph = graph_of(spec);
    const MixingMatrix mixing = MixingMatrix::fastest_chain(graph);
    CHECK(mixing.non_negative());
    CHECK(mixing.symmetric());
    CHECK(mixing.link_count() <= 2 * graph.edges().size());
    unused += graph.edges().size() - mixing.link_count() / 2;
  }
  CHECK(unused > 0);
  CHECK_FALSE(MixingMatrix::fastest(graph_of("star(12)")).non_negative());
  CHECK(rho(MixingMatrix::fastest_chain(graph_of("star(12)"))) == doctest::Approx(1.0 - 1.0 / 11.0));
}

TEST_CASE("fastest: the same graph gives the same bits") {
  const Graph graph = graph_of("geometric(30, 0.35)");
  CHECK(fastest_weights(graph, LinkWeights::any).edge_weights ==
        fastest_weights(graph, LinkWeights::any).edge_weights);
}

TEST_CASE(
    "fastest: more peers or links than the solver takes are refused, symmetric graphs of any size are not") {
  CHECK(
      misuse_text([] { make_mixing("fastest", make_graph("path", 401, 0)); }) ==
      "topology.weights = fastest: computed for up to 400 peers and 1200 links, and the topology has 401 and "
      "400; best-constant and metropolis have no limit");
  CHECK(misuse_text([] {
          make_mixing("fastest-chain", make_graph("erdos-renyi(0.9)", 60, 0));
        }).starts_with("topology.weights = fastest-chain: computed for up to"));
  CHECK(make_mixing("fastest", make_graph("ring", 5000, 0)).least_rho());
  CHECK(make_mixing("fastest-chain", make_graph("complete", 300, 0)).least_rho());
}

}  // namespace hearsay::fastest_mixing_test
