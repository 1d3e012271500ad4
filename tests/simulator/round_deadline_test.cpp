#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/experiment/traffic_forecast.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::round_deadline_test {

using namespace std::chrono_literals;

namespace {

/// Returns a run of `peers` on a star, by the emulated clock: a gradient takes 10 ms, at the last peer
/// `slowest`, and a message 1 ms. The quadratic of a peer depends on its id alone.
Experiment<double> star(const std::string& method, PeerId peers, Duration slowest, Duration deadline) {
  RunSettings settings = settings_of(method, {.family = "star", .peers = peers}, {.iterations = 60});
  settings.algorithm.options.clear(option::local_steps);
  if (find_method(method).options.has(option::local_steps))
    settings.algorithm.options.set(option::local_steps, 10);
  settings.run.evaluate_every = 20;
  settings.topology.round_deadline = deadline;
  settings.network.latency = 1ms;
  settings.network.compute = {.kind = ComputeTime::Kind::constant, .median = 10ms};
  NetworkSettings slow = settings.network;
  slow.compute.median = slowest;
  settings.peer_networks[peers - 1] = slow;
  std::vector<PeerId> ids(peers);
  for (PeerId id = 0; id < peers; ++id) ids[id] = id;
  return prepare<double>(settings, quadratic_problem<double>(6, ids, Shared::nothing));
}

std::vector<std::string> methods_whose_answers_may_be_late() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.answers_may_be_late) names.push_back(method.name);
  REQUIRE(names.size() >= 6);
  return names;
}

/// Gradients that a worker takes in a round.
std::uint64_t gradients_of(const Experiment<double>& experiment) {
  return experiment.settings.algorithm.options.find(option::local_steps).value_or(1);
}

}  // namespace

TEST_CASE("round deadline: where all answer in time no bit differs from a run without it") {
  for (const std::string& method : methods_whose_answers_may_be_late()) {
    CAPTURE(method);
    const auto free = star(method, 5, 30ms, 0ms);
    const auto timed = star(method, 5, 30ms, 1s);
    const RunOutcome<double> one = simulate(free, 0ms);
    const RunOutcome<double> other = simulate(timed, 0ms);
    CHECK(one.models.front() == other.models.front());
    CHECK(one.seconds == other.seconds);
    CHECK(other.peers.front().meters.counters.late == 0);
  }
}

TEST_CASE("round deadline: who is always late does not count, as if it were not there") {
  for (const std::string& method : methods_whose_answers_may_be_late()) {
    CAPTURE(method);
    const std::uint64_t gradients = gradients_of(star(method, 5, 10ms, 0ms));
    const Duration round = static_cast<std::int64_t>(gradients) * 10ms + 5ms;
    const auto experiment = star(method, 5, 37ms, round);
    const RunOutcome<double> outcome = simulate(experiment, 0ms);
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.peers.front().meters.counters.late > 0);
    const TrafficForecast most = forecast_traffic(experiment);
    CHECK_FALSE(most.exact);
    for (PeerId id = 0; id < 5; ++id) CHECK(outcome.peers[id].meters.bytes_sent <= most.peers[id].bytes);
    CHECK(outcome.seconds < 61 * seconds(round) + static_cast<double>(gradients) * 0.04);
    // It has sat rounds out, instead of answering in vain ever later.
    CHECK(outcome.peers.back().meters.counters.gradient_evaluations <= 25 * gradients);
    for (const PeerOutcome& peer : outcome.peers) CHECK(peer.iterations == 60);

    const RunOutcome<double> without_it = simulate(star(method, 4, 10ms, 0ms), 0ms);
    const Vector<double>& expected = without_it.models.front();
    CHECK((outcome.models.front() - expected).norm() <= 1e-13 * expected.norm());
  }
}

TEST_CASE("round deadline: a hub that trains for longer than a round closes it when it has trained") {
  RunSettings settings = star("fed-avg", 3, 10ms, 0ms).settings;
  settings.topology.round_deadline = 150ms;
  settings.peer_networks[0] = settings.network;
  settings.peer_networks[0].compute.median = 40ms;
  const auto experiment = prepare<double>(settings, quadratic_problem<double>(6, {0, 1, 2}, Shared::nothing));
  const RunOutcome<double> outcome = simulate(experiment, 0ms);
  CHECK(outcome.status == RunStatus::done);
  CHECK(outcome.peers.front().meters.counters.late == 0);
}

TEST_CASE("round deadline: a round to which nobody has answered leaves the model where it was") {
  RunSettings settings = star("fed-avg", 3, 10ms, 0ms).settings;
  settings.topology.hub = HubData::none;
  settings.topology.round_deadline = 103ms;
  settings.network.jitter = 40ms;
  settings.peer_networks.clear();
  const auto experiment = prepare<double>(settings, quadratic_problem<double>(6, {1, 2}, Shared::nothing));
  const RunOutcome<double> outcome = simulate(experiment, 0ms);
  CHECK(outcome.status == RunStatus::done);
  CHECK(outcome.peers.front().iterations == 60);
  CHECK(outcome.peers.front().meters.counters.late > 0);
}

TEST_CASE("round deadline: the same seed gives the same run, by the emulated clock") {
  RunSettings settings = star("fed-paq", 6, 10ms, 0ms).settings;
  settings.topology.round_deadline = 104ms;
  settings.network.jitter = 5ms;
  settings.peer_networks.clear();
  const auto run = [&] {
    return simulate(
        prepare<double>(settings, quadratic_problem<double>(6, {0, 1, 2, 3, 4, 5}, Shared::nothing)), 0ms);
  };
  const RunOutcome<double> one = run();
  CHECK(one.models.front() == run().models.front());
  CHECK(one.peers.front().meters.counters.late > 5);
}

TEST_CASE("round deadline: what it cannot be is refused with the remedy") {
  const std::string network = "network = { latency = \"20 ms\", compute = \"3 ms\" }\n";
  const auto refusal = [&](const std::string& deadline, const std::string& more) {
    return misuse_text([&] {
      experiment_from<double>(
          "model.kind = \"quadratic(4)\"\nalgorithm.batch = \"full\"\n"
          "topology = { peers = 4, round_deadline = \"" +
          deadline + "\" }\n" + network + more);
    });
  };
  CHECK(refusal("40 ms", "algorithm.kind = \"fed-avg\"\nalgorithm.local_steps = 2\n") ==
        "topology.round_deadline = 40 ms: no answer is there before 46 ms, the way of the model, the latency "
        "both ways and the gradients; expected more than that");
  const std::string run =
      "algorithm = { kind = \"fed-avg\", batch = \"full\", local_steps = 2 }\nmodel.kind = \"quadratic(4)\"\n"
      "network = { bandwidth = \"10 kbit/s\", latency = \"20 ms\", compute = \"3 ms\" }\n";
  CHECK(contains(misuse_text([&] {  // a model is 96 bytes: 77 ms
                   experiment_from<double>(run + "topology = { peers = 4, round_deadline = \"120 ms\" }\n");
                 }),
                 "no answer is there before 122 ms"));
  const auto late = experiment_from<double>(run + "topology = { peers = 4, round_deadline = \"200 ms\" }\n");
  REQUIRE(late.warnings.size() == 1);
  CHECK(contains(late.warnings.front(), "the hub's port takes 230 ms to tell 3 workers the model"));
  CHECK(refusal("1 s", "algorithm.kind = \"fed-avg\"\n").empty());
  CHECK(
      contains(refusal("1 s", "algorithm.kind = \"d-psgd\"\n"),
               "topology.round_deadline = 1 s: d-psgd has no hub that waits for answers; expected 0 s, or"));
  CHECK(contains(refusal("1 s", "algorithm.kind = \"comp-ams\"\n"),
                 "comp-ams keeps what an answer in vain would make wrong; expected 0 s, or one of fed-avg"));
  CHECK(contains(refusal("1 s", "algorithm.kind = \"fed-avg\"\nfailure.checkpoint_every = 5\n"),
                 "expected failure.checkpoint_every = 0"));
}

}  // namespace hearsay::test::round_deadline_test
