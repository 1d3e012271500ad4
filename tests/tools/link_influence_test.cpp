#include "tools/influence/link_influence.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "runtime/settings/run_settings_file.hpp"
#include "tests/support/misuse_text.hpp"
#include "tools/influence/influence.hpp"
#include "topology/families.hpp"

namespace hearsay::link_influence_test {

namespace {

const std::vector<std::uint64_t> iterations = {0, 10, 30, 40};
constexpr std::uint64_t samples = 100;

/// Slopes that differ from peer to peer and on the way, also in their sign.
DenseRows<double> slopes_of(Index peers) {
  DenseRows<double> slopes(4, peers);
  for (Index k = 0; k < 4; ++k)
    for (Index j = 0; j < peers; ++j) slopes(k, j) = std::cos(1.0 + 2.0 * static_cast<double>(j * j + k));
  return slopes;
}

std::string refusal(const std::string& run_file) {
  return misuse_text([&] { require_links(parse_run(run_file, ".")); });
}

}  // namespace

TEST_CASE(
    "link influence: what a peer holds is its own and what entered, and all hold what there is, in any W") {
  const StepSize step_size(0.3, "inverse-sqrt", 0);
  for (const std::string kind : {"static", "one-peer-exponential", "random-matchings"})
    for (const double gamma : {1.0, 0.5}) {
      CAPTURE(kind);
      CAPTURE(gamma);
      const Graph graph = make_graph(kind == "one-peer-exponential" ? "exponential" : "ring", 6, 1);
      const auto schedule = make_schedule(kind, graph, MixingMatrix::metropolis(graph), 1);
      const DenseRows<double> slopes = slopes_of(6);
      const LinkInfluence found = link_influence(*schedule, gamma, iterations, step_size, slopes, samples);
      // I_j = sum_k w_k times the slope
      const std::vector<double> weights = kept_model_weights(iterations, step_size, 1.0, samples);
      Vector<double> own = Vector<double>::Zero(6);
      for (Index k = 0; k < 4; ++k) own += weights[static_cast<std::size_t>(k)] * slopes.row(k).transpose();
      DenseRows<double> entered = DenseRows<double>::Zero(6, 6);
      for (const LinkFlow& link : found.links) {
        CHECK(link.from < link.to);
        entered.row(link.to) += link.flow;
        entered.row(link.from) -= link.flow;
      }
      for (Index j = 0; j < 6; ++j) {
        CHECK(found.held.col(j).sum() == doctest::Approx(own[j]).epsilon(1e-12));
        for (Index i = 0; i < 6; ++i)
          CHECK(std::abs(found.held(i, j) - (i == j ? own[j] : 0.0) - entered(i, j)) < 1e-14);
      }
    }
}

TEST_CASE(
    "link influence: of two peers that average, half of what each one's first step did passes, and far peers "
    "hear of it late") {
  const StepSize step_size(0.1, "constant", 0);
  const Graph pair = make_graph("complete", 2, 1);
  DenseRows<double> slopes(2, 2);
  slopes << 1.0, 3.0, 1.0, 3.0;
  const auto schedule = make_schedule("static", pair, MixingMatrix::metropolis(pair), 1);
  // After the first of two iterations the step is at its own peer; the second mixes it half and half.
  const LinkInfluence found =
      link_influence(*schedule, 1.0, std::vector<std::uint64_t>{0, 2}, step_size, slopes, 1);
  REQUIRE(found.links.size() == 1);
  CHECK(found.links[0].of_first() == doctest::Approx(0.05));
  CHECK(found.links[0].of_second() == doctest::Approx(0.15));
  CHECK(found.links[0].net() == doctest::Approx(-0.1));
  // On a ring of 6 with a step at peer 0 alone, nothing is at peer 3 before three rounds of mixing.
  const Graph ring = make_graph("ring", 6, 1);
  const auto rounds = make_schedule("static", ring, MixingMatrix::metropolis(ring), 1);
  DenseRows<double> of_first = DenseRows<double>::Zero(2, 6);
  of_first.col(0).setOnes();
  const auto held = [&](std::uint64_t last) {
    return link_influence(*rounds, 1.0, std::vector<std::uint64_t>{0, last}, step_size, of_first, 1)
        .held(3, 0);
  };
  CHECK(held(3) == 0.0);
  CHECK(held(4) > 0.0);
}

TEST_CASE("link influence: it is refused for what it is not derived for") {
  CHECK(refusal("[algorithm]\nkind = \"d-psgd\"\n").empty());
  CHECK(contains(refusal("[algorithm]\nkind = \"allreduce-sgd\"\n"), "expected d-psgd or dcd-psgd"));
  CHECK(contains(refusal("[algorithm]\nkind = \"fed-avg\"\n"), "expected d-psgd or dcd-psgd"));
  CHECK(contains(refusal("[algorithm]\nkind = \"d-psgd\"\nlocal_steps = 4\n"), "local_steps = 1"));
  CHECK(contains(refusal("[algorithm]\nkind = \"d-psgd\"\norder = \"adapt-then-combine\"\n"),
                 "combine-then-adapt"));
}

}  // namespace hearsay::link_influence_test
