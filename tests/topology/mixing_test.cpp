#include "topology/mixing.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/dense_mixing.hpp"
#include "topology/families.hpp"
#include "topology/foundation/misuse.hpp"

namespace mixing_test {

using hearsay::contains;
using hearsay::Graph;
using hearsay::make_graph;
using hearsay::make_mixing;
using hearsay::misuse_text;
using hearsay::MixingMatrix;
using hearsay::PeerId;
using hearsay::WeightedLink;

namespace {

/// The graph, or nothing if the family does not take these arguments or so many peers.
std::optional<Graph> graph_if_possible(const std::string& spelling, PeerId peers) {
  try {
    return make_graph(spelling, peers, 1);
  } catch (const hearsay::Misuse&) {
    return std::nullopt;
  }
}

/// Graphs of every registered family, of 1 to 20 peers.
std::vector<Graph> sample_graphs() {
  std::vector<Graph> graphs;
  for (const hearsay::Choice& family : hearsay::family_choices()) {
    const std::size_t before = graphs.size();
    for (const PeerId peers : {1u, 2u, 3u, 4u, 6u, 8u, 15u, 16u, 20u})
      for (const std::string arguments : {"", "(3x5)", "(2x3)", "(3)", "(0.4)", "(4, 0.3)"})
        if (const auto graph = graph_if_possible(family.name + arguments, peers)) graphs.push_back(*graph);
    INFO("no arguments above fit the family " << family.name);
    REQUIRE(graphs.size() > before);
  }
  return graphs;
}

}  // namespace

TEST_CASE("mixing: every matrix is doubly stochastic, symmetric and lives on the links of its graph") {
  for (const Graph& graph : sample_graphs())
    for (const hearsay::Choice& choice : hearsay::mixing_choices()) {
      CAPTURE(choice.name);
      CAPTURE(graph.peer_count());
      const MixingMatrix mixing = make_mixing(choice.name, graph);
      const Eigen::MatrixXd w = hearsay::dense(mixing);
      CHECK((w.rowwise().sum().array() - 1.0).abs().maxCoeff() < 1e-14);
      CHECK((w.colwise().sum().array() - 1.0).abs().maxCoeff() < 1e-14);
      CHECK(w == w.transpose());
      CHECK(mixing.symmetric());
      CHECK(mixing.non_negative() == (w.minCoeff() > -1e-12));
      for (PeerId i = 0; i < graph.peer_count(); ++i)
        for (PeerId j = 0; j < graph.peer_count(); ++j)
          if (i != j && w(i, j) != 0.0) CHECK(graph.adjacent(i, j));
      // The fastest matrices may leave out links.
      if (!choice.name.starts_with("fastest")) CHECK(mixing.link_count() == 2 * graph.edges().size());
    }
}

TEST_CASE("mixing: entries are those of the definitions") {
  const Graph graph = make_graph("star", 5, 0);
  CHECK(MixingMatrix::metropolis(graph).row(3).hears[0].weight == 1.0 / 5.0);
  CHECK(MixingMatrix::max_degree(graph).row(3).hears[0].weight == 1.0 / 5.0);
  CHECK(MixingMatrix::lazy(graph).row(3).hears[0].weight == 1.0 / 10.0);
  const Graph path = make_graph("path", 4, 0);
  const MixingMatrix metropolis = MixingMatrix::metropolis(path);
  CHECK(metropolis.row(0).self_weight == 1.0 - 1.0 / 3.0);
  CHECK(metropolis.row(1).self_weight == 1.0 - (1.0 / 3.0 + 1.0 / 3.0));
  CHECK(metropolis.row(1).heard_by == std::vector<PeerId>{0, 2});
  const Eigen::MatrixXd lazy = hearsay::dense(MixingMatrix::lazy(path));
  const Eigen::MatrixXd half = 0.5 * (Eigen::MatrixXd::Identity(4, 4) + hearsay::dense(metropolis));
  CHECK((lazy - half).cwiseAbs().maxCoeff() < 1e-15);
}

TEST_CASE("mixing: metropolis, max-degree and lazy are averages, best-constant on a star is not") {
  for (const Graph& graph : sample_graphs())
    for (const char* weights : {"metropolis", "max-degree", "lazy"})
      CHECK(make_mixing(weights, graph).non_negative());
  const MixingMatrix star = MixingMatrix::best_constant(make_graph("star", 8, 0));
  CHECK_FALSE(star.non_negative());
  CHECK(star.row(0).self_weight == doctest::Approx(1.0 - 7.0 * 2.0 / 9.0));
}

TEST_CASE("mixing: one peer mixes with itself alone") {
  for (const hearsay::Choice& choice : hearsay::mixing_choices()) {
    const MixingMatrix alone = make_mixing(choice.name, make_graph("ring", 1, 0));
    CHECK(alone.row(0).self_weight == 1.0);
    CHECK(alone.row(0).hears.empty());
  }
}

TEST_CASE("mixing: directed weights are kept apart by direction") {
  const MixingMatrix cycle(3, {{0, 1, 0.5}, {1, 2, 0.5}, {2, 0, 0.5}});
  CHECK_FALSE(cycle.symmetric());
  CHECK(cycle.non_negative());
  CHECK(cycle.link_count() == 3);
  CHECK(cycle.row(1).hears[0].id == 0);
  CHECK(cycle.row(1).heard_by == std::vector<PeerId>{2});
}

TEST_CASE(
    "mixing: explicit weights on links go both ways, and a self weight of nothing but rounding is no "
    "negative") {
  const Graph path = make_graph("path", 3, 0);
  const MixingMatrix mixing = MixingMatrix::explicit_weights(path, std::vector<double>{0.5, 0.25});
  CHECK(mixing.row(1).self_weight == 0.25);
  CHECK(mixing.row(2).hears[0].weight == 0.25);
  CHECK(MixingMatrix::explicit_weights(path, std::vector<double>{0.9, 0.6}).row(1).self_weight == 1.0 - 1.5);
  CHECK_FALSE(MixingMatrix::explicit_weights(path, std::vector<double>{0.9, 0.6}).non_negative());
  const Graph star = make_graph("star", 11, 0);
  CHECK(MixingMatrix::explicit_weights(star, std::vector<double>(10, 0.1)).non_negative());
}

TEST_CASE("mixing: what is not doubly stochastic is refused with the peer's name") {
  const std::vector<std::string> names{"a", "b", "c"};
  const auto refusal = [&](std::vector<WeightedLink> links) {
    return misuse_text([&] { MixingMatrix(3, std::move(links), names); });
  };
  CHECK(contains(refusal({{0, 1, 0.5}, {1, 0, 0.25}}),
                 "what the others give peer a and its self weight sum to 1.25"));
  CHECK(contains(refusal({{0, 1, 0.5}, {0, 1, 0.5}}), "from peer a to peer b is there twice"));
  CHECK(contains(refusal({{0, 0, 0.5}}), "from peer a to peer a"));
  CHECK(contains(refusal({{0, 3, 0.5}}), "the peers are 0 to 2"));
  CHECK(contains(refusal({{0, 1, 0.0}, {1, 0, 0.0}}), "from peer b to peer a = 0"));
  CHECK(contains(refusal({{0, 1, std::nan("")}, {1, 0, 0.5}}), "from peer a to peer b = nan"));
  const double most = std::numeric_limits<double>::max();
  CHECK_FALSE(refusal({{0, 1, most}, {1, 0, most}, {2, 1, most}, {1, 2, most}}).empty());
}

TEST_CASE("mixing: unknown weights name the nearest") {
  CHECK(contains(misuse_text([] { make_mixing("metropolitan", make_graph("ring", 4, 0)); }),
                 "topology.weights = metropolitan: did you mean metropolis?"));
}

}  // namespace mixing_test
