#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/methods/optimum.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::test::qg_momentum_test {

namespace {

const World ring{"ring", 8};

Recording<double> run(const std::string& method, const World& world, const Plan& plan) {
  return record_run(quadratics_in<double>(world, method, plan));
}

/// Returns the largest difference of an entry of the peers' momenta from those of peer 0.
double spread_of_momenta(const std::vector<PeerRecord<double>>& peers) {
  double spread = 0.0;
  for (const auto& peer : peers)
    spread = std::max(
        spread, (peer.states.at("momentum") - peers.front().states.at("momentum")).cwiseAbs().maxCoeff());
  return spread;
}

/// Settings of two peers that average with this weight. W has the eigenvalues 1 and 1 - 2 weight.
RunSettings pair_settings(const TemporaryFolder& folder, double weight, bool allow_unsound) {
  RunSettings settings = settings_of("qg-momentum", {"ring", 2, "auto"}, {.iterations = 400});
  settings.topology.file = folder.write(
      "pair.toml", "peers = 2\nlink = [{from = 0, to = 1, weight = " + std::to_string(weight) + "}]\n");
  settings.algorithm.allow_unsound = allow_unsound;
  return settings;
}

/// Returns the difference of two models after 400 rounds without slope, from a difference of 2.
double disagreement(double weight) {
  const TemporaryFolder folder("hearsay_qg_momentum");
  const auto experiment = prepare<double>(pair_settings(folder, weight, true), flat_problem<double>(1, 2));
  BareCluster<double> cluster(experiment, 1);
  cluster.plant({Vector<double>::Constant(1, 1.0), Vector<double>::Constant(1, -1.0)});
  cluster.run();
  const auto& last = cluster.recording().back();
  return std::abs(last[0].model[0] - last[1].model[0]);
}

}  // namespace

TEST_CASE("qg-momentum: on W = J all momenta are equal, on a ring they are not") {
  for (const auto& peers : run("qg-momentum", {"complete", 5}, {.iterations = 60}))
    CHECK(spread_of_momenta(peers) < 1e-13);
  CHECK(spread_of_momenta(run("qg-momentum", ring, {.iterations = 60}).back()) > 1e-3);
}

TEST_CASE("qg-momentum: without momentum it is dspg's gossip after the gradient step") {
  for (const World& world :
       std::vector<World>{ring, {"exponential", 6, "metropolis", "one-peer-exponential"}}) {
    const auto plain = run("qg-momentum", world, {.options = {{option::momentum, 0.0}}});
    const auto mixed = run("dspg", world, {});
    for (PeerId id = 0; id < world.peers; ++id)
      CHECK((plain.back()[id].model - mixed.back()[id].model).cwiseAbs().maxCoeff() < 1e-14);
  }
}

TEST_CASE("qg-momentum: where it stops nothing is remembered: the limit of a step 1 + beta times as long") {
  // x = x' leaves m = 0, and then x = W (x - eta (1 + beta) g).
  const auto limit = run("qg-momentum", ring, {.iterations = 2000, .step_size = 0.1}).back();
  const auto plain = run("dspg", ring, {.iterations = 2000, .step_size = 0.19}).back();
  for (PeerId id = 0; id < 8; ++id) {
    CHECK(limit[id].states.at("momentum").cwiseAbs().maxCoeff() < 1e-12);
    CHECK((limit[id].model - plain[id].model).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("qg-momentum: an eigenvalue of W near -1 is unstable: at -0.95, not at -0.89") {
  // z^2 - (1.081 l + 0.9) z + 0.981 l = 0 has the roots -1.031 and 0.904 at l = -0.95.
  CHECK(disagreement(0.975) > 1e4);
  CHECK(disagreement(0.945) < 1e-2);
  CHECK(disagreement(0.4875) < 1e-12);
}

TEST_CASE("qg-momentum: an eigenvalue of -0.9 or less is refused, with the remedy") {
  const TemporaryFolder folder("hearsay_qg_momentum");
  const auto refusal = [&](double weight, bool allow_unsound) {
    return misuse_text(
        [&] { prepare<double>(pair_settings(folder, weight, allow_unsound), flat_problem<double>(1, 2)); });
  };
  CHECK(
      refusal(0.975, false) ==
      "topology.weights = explicit: the smallest eigenvalue of this mixing matrix is -0.95, and qg-momentum "
      "needs one above -0.9; expected \"lazy\", or link weights half as large (algorithm.allow_unsound = "
      "true tries it all the same)");
  CHECK(refusal(0.975, true) == "");
  CHECK(refusal(0.945, false) == "");
}

}  // namespace hearsay::test::qg_momentum_test
