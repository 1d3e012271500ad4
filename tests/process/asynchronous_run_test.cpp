#include <doctest/doctest.h>

#include "runtime/process/local_run.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::asynchronous_run_test {

using namespace std::chrono_literals;

namespace {

/// Checks a run that ended well: no message was late, doubled or garbage, and as many requests were answered
/// as peers got answers. Returns that number.
template <class Scalar>
std::uint64_t check_exchanges(const RunOutcome<Scalar>& outcome) {
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  for (const PeerOutcome& peer : outcome.peers) {
    const PeerCounters& counters = peer.meters.counters;
    CHECK(counters.late + counters.duplicate + counters.overflow + peer.meters.garbage == 0);
    asked += counters.exchanges_asked;
    answered += counters.exchanges_answered;
  }
  CHECK(asked == answered);
  return asked;
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("asynchronous: processes finish on every graph, and lose no update") {
    for (const World& world : {World{"ring", 1}, World{"ring", 2}, World{"ring", 5}, World{"star", 6},
                               World{"complete", 5}, World{"ring", 8}}) {
      CAPTURE(world.name());
      auto experiment = regressions_in<float>(world, "ad-psgd", {.iterations = 60, .batch = 3}, 1099);
      experiment.settings.run.evaluate_every = 7;
      const auto outcome = run_local(experiment);
      REQUIRE_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
      for (const PeerOutcome& peer : outcome.peers) CHECK(peer.iterations == 60);
      CHECK((check_exchanges(outcome) > 0) == (world.peers > 1));
    }
  }

  TEST_CASE("asynchronous: a slow, jittery, lossy network delays messages, and loses none") {
    auto experiment = quadratics_in<float>({"ring", 7}, "ad-psgd", {.iterations = 20});
    experiment.settings.network.bandwidth_up = {1e5};
    experiment.settings.network.latency = 2ms;
    experiment.settings.network.jitter = 3ms;
    experiment.settings.network.message_loss = 0.02;
    experiment.settings.network.compute = {ComputeTime::Kind::lognormal, 2ms, 1.0};
    const auto outcome = run_local(experiment);
    CHECK_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
    CHECK(check_exchanges(outcome) > 0);
  }

  TEST_CASE("asynchronous: a logistic model trains to the loss of all-reduce, and the target ends the run") {
    const std::string text =
        "data.source = \"synthetic(samples=1024, features=20, classes=2)\"\n"
        "model = { kind = \"logistic\", l2 = 0.01 }\ntopology = { kind = \"ring\", peers = 8 }\n"
        "run = { iterations = 400, evaluate_every = 50 }\nnetwork.compute = \"lognormal(1 ms, 0.5)\"\n"
        "algorithm.step_size = 0.2\nalgorithm.batch = 32\n";
    const auto synchronous =
        simulate(experiment_from<double>(text + "algorithm.kind = \"allreduce-sgd\"\n"), Duration{0});
    const double loss = synchronous.evaluations.back().loss;
    auto experiment = experiment_from<double>(text + "algorithm.kind = \"ad-psgd\"\n");
    const auto outcome = run_local(experiment);
    REQUIRE_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
    CHECK(outcome.evaluations.back().loss < 1.03 * loss);
    check_exchanges(outcome);

    experiment.settings.run.target_loss = outcome.evaluations[3].loss * 1.02;
    const auto stopped = run_local(experiment);
    CHECK(stopped.status == RunStatus::target);
    REQUIRE(stopped.target);
    for (const PeerOutcome& peer : stopped.peers)
      CHECK(peer.iterations == std::min<std::uint64_t>(400, stopped.target->iteration + 50));
    check_exchanges(stopped);
  }

  TEST_CASE("asynchronous: who asks does not wait for a gradient of who answers") {
    auto experiment = quadratics_in<float>({"ring", 2}, "ad-psgd", {.iterations = 40});
    experiment.settings.run.evaluate_every = 20;
    experiment.settings.peer_networks[0].compute = {ComputeTime::Kind::constant, 50ms, 0};
    const auto outcome = run_local(experiment);
    REQUIRE_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
    // Peer 1 has asked 40 times, and ended, before peer 0 has taken its 20th gradient. So the evaluation
    // counts 20 requests and about 40 answers of peer 0. If answers waited for gradients, these would be
    // about 21.
    CHECK(outcome.evaluations[1].messages_sent > 20 + 30);
    CHECK(check_exchanges(outcome) >= 40);
  }
}

}  // namespace hearsay::test::asynchronous_run_test
