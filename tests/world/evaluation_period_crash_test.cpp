#include <doctest/doctest.h>

#include "algorithms/methods/registry.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/worlds.hpp"
#include "tests/world/faulty_cluster.hpp"

namespace hearsay::test::evaluation_period_crash_test {

using namespace std::chrono_literals;

namespace {

constexpr Duration long_enough = std::chrono::hours(1);  // of virtual time

Experiment<double> timed_experiment(const std::string& method, std::uint64_t checkpoint_every) {
  auto experiment = quadratics_in<double>({.family = "ring", .peers = 4}, method, {.iterations = 60});
  experiment.settings.failure.checkpoint_every = checkpoint_every;
  experiment.settings.run.evaluate_every = 1;
  experiment.settings.run.evaluate_period = 9ms;
  return experiment;
}

std::vector<std::uint64_t> iterations_of(const std::vector<Evaluation>& evaluations) {
  std::vector<std::uint64_t> iterations;
  for (const Evaluation& evaluation : evaluations) iterations.push_back(evaluation.iteration);
  return iterations;
}

/// The evaluations may fall on other iterations than without the disturbance; nothing else may differ.
void check_same_models(const RunOutcome<double>& disturbed, const RunOutcome<double>& calm) {
  CHECK_MESSAGE(disturbed.status == calm.status, disturbed.reason);
  REQUIRE(disturbed.peers.size() == calm.peers.size());
  for (PeerId id = 0; id < disturbed.peers.size(); ++id) {
    CHECK(disturbed.peers[id].iterations == calm.peers[id].iterations);
    CHECK(disturbed.peers[id].model_digest == calm.peers[id].model_digest);
  }
  const auto iterations = iterations_of(disturbed.evaluations);
  REQUIRE(iterations.size() > 5);
  CHECK(std::vector(iterations.begin(), iterations.begin() + 3) == std::vector<std::uint64_t>{0, 1, 2});
  CHECK(iterations.back() == 60);
  CHECK(std::ranges::is_sorted(iterations, std::less_equal<>()));
}

}  // namespace

TEST_CASE("evaluation period: a peer, or the observer, that dies and comes back changes no bit") {
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous) continue;
    CAPTURE(method.name);
    const auto experiment = timed_experiment(method.name, 7);
    const RunOutcome<double> calm = simulate(experiment, Duration{1000});
    for (const bool observer : {false, true}) {
      CAPTURE(observer);
      const TemporaryFolder folder("hearsay_crash");
      FaultyCluster cluster(experiment, 3, {.loss = 0.02, .repeat = 0.02, .overtake = 0.02}, folder.path());
      cluster.crash(2, 20ms, 30ms);
      if (observer) cluster.crash_first(45ms, 56ms);
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.crashes > 0);
      check_same_models(cluster.outcome(), calm);
    }
  }
}

TEST_CASE(
    "evaluation period: peers that all die, whenever that is, go on from a checkpoint, with the same bits") {
  const auto experiment = timed_experiment("dcd-psgd", 7);
  const RunOutcome<double> calm = simulate(experiment, Duration{1000});
  for (Duration when = 1ms; when < 100ms; when += 1ms) {
    CAPTURE(when.count());
    const TemporaryFolder folder("hearsay_crash");
    FaultyCluster cluster(experiment, 3, {}, folder.path());
    cluster.crash_all(when, when + 5ms);
    REQUIRE(cluster.run(long_enough));
    check_same_models(cluster.outcome(), calm);
  }
}

TEST_CASE("evaluation period: a target ends the run at the same iteration at every peer") {
  auto experiment = timed_experiment("choco-sgd", 7);
  experiment.settings.run.target_loss = simulate(experiment, Duration{1000}).evaluations[4].loss;
  const TemporaryFolder folder("hearsay_crash");
  FaultyCluster cluster(experiment, 3, {.loss = 0.02, .repeat = 0.02, .overtake = 0.02}, folder.path());
  cluster.crash(2, 12ms, 18ms);
  REQUIRE(cluster.run(long_enough));
  const RunOutcome<double> outcome = cluster.outcome();
  CHECK(outcome.status == RunStatus::target);
  for (const PeerOutcome& peer : outcome.peers)
    CHECK(peer.iterations == outcome.evaluations.back().iteration);
}

}  // namespace hearsay::test::evaluation_period_crash_test
