#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "runtime/simulator/retiming.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/outcome_record.hpp"
#include "tests/support/timelines.hpp"

namespace hearsay::test::availability_run_test {

using namespace std::chrono_literals;

namespace {

/// Returns a run of `peers`, each of which is there when `availability` says, with gradients of 2 ms and a
/// latency of 3 ms. `more` are lines of its run file.
Experiment<double> run_of(const std::string& method, std::vector<Availability> availability,
                          const std::string& more = "") {
  const std::string kind = find_method(method).pattern.has_hub ? "star" : "ring";
  auto experiment = experiment_from<double>(
      "run.iterations = 4\nrun.evaluate_every = 4\nmodel.kind = \"quadratic(20)\"\nalgorithm.batch = "
      "\"full\"\n"
      "network.latency = \"3 ms\"\nnetwork.compute = \"2 ms\"\ntopology.kind = \"" +
      kind + "\"\ntopology.peers = " + std::to_string(availability.size()) + "\nalgorithm.kind = \"" +
      method + "\"\n" + more);
  experiment.settings.availability = std::move(availability);
  return experiment;
}

/// Four peers: one is always there, one is slow at times, and two are away at other times.
std::vector<Availability> four_who_come_and_go() {
  return {Availability(), Availability({{0ms, 20ms}, {20ms, 50ms, 3.0}}, 50ms),
          Availability({{5ms, 11ms}, {30ms, 40ms, 1.5}}, 43ms),
          Availability({{0ms, 1ms}, {2ms, 17ms}}, 60ms)};
}

void check_same_bits(const RunOutcome<double>& one, const RunOutcome<double>& other) {
  REQUIRE(one.peers.size() == other.peers.size());
  for (std::size_t id = 0; id < one.peers.size(); ++id)
    CHECK(one.peers[id].model_digest == other.peers[id].model_digest);
}

}  // namespace

TEST_CASE("availability: two peers, one of which comes and goes, take what a hand works out") {
  // Peer 1 is away from 5 to 10 ms. Each sends its model, which travels for 3 ms, as its gradient of 2 ms
  // begins. Iteration 1 is over at 3 ms. In the second, the message that reaches peer 1 at 6 ms waits until
  // 10 ms; peer 0 has that of peer 1 at 6 ms, begins the third, and its next message waits, too. Peer 1
  // begins its third at 10 ms, has all for it at 12 ms, and its message is at peer 0 at 13 ms. The fourth:
  // peer 1 sends at 12 ms, so peer 0 is done at 15 ms; peer 0 sends at 13 ms, so peer 1 is done at 16 ms.
  const Availability away({{0ms, 5ms}, {10ms, 20ms}}, 20ms);
  const RunOutcome<double> outcome = simulate(run_of("d-psgd", {Availability(), away}), 0ms);
  CHECK(outcome.seconds == 0.016);
  CHECK(outcome.peers[0].meters.compute == 8ms);
  CHECK(outcome.peers[1].meters.compute == 8ms);
  CHECK(simulate(run_of("d-psgd", {Availability(), Availability()}), 0ms).seconds == 0.012);
}

TEST_CASE("availability: a peer alone computes while it is there, and slower where its row says so") {
  // The gradients of 2 ms end at 2 ms; 7 ms (1 ms, away for 2 ms, 1 ms at half the speed); 10.5 ms (3 ms at
  // half the speed, then the trace begins anew); 12.5 ms.
  const Availability peer({{0ms, 3ms}, {5ms, 10ms, 2.0}}, 10ms);
  const RunOutcome<double> outcome = simulate(run_of("d-psgd", {peer}), 0ms);
  CHECK(outcome.seconds == 0.0125);
  CHECK(outcome.peers[0].meters.compute == 10'500us);  // the time that it was there
}

TEST_CASE("availability: a peer that is away when the run begins starts when it comes") {
  const Availability late({{7ms, 100ms}}, 100ms);
  // Its first message, and its first gradient, leave at 7 ms.
  CHECK(simulate(run_of("d-psgd", {Availability(), late}), 0ms).seconds == 0.019);
}

TEST_CASE(
    "availability: no bit of a synchronous method depends on who is there when, and no time if all are") {
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous) continue;
    CAPTURE(method.name);
    const std::vector<Availability> all(4);
    const RunOutcome<double> always = simulate(run_of(method.name, all), 0ms);
    const RunOutcome<double> sometimes = simulate(run_of(method.name, four_who_come_and_go()), 0ms);
    CHECK(sometimes.status == RunStatus::done);
    CHECK(sometimes.seconds > always.seconds);
    check_same_bits(always, sometimes);
    std::vector<Availability> written(4, Availability({{0ms, 9ms}, {9ms, 20ms}}, 20ms));
    CHECK(simulate(run_of(method.name, written), 0ms).seconds == always.seconds);
  }
}

TEST_CASE("availability: who sits out a round is not waited for, and a sampled worker that is away is") {
  const std::string half = "topology.participation = 0.5\n";
  for (const std::string method : {"fed-avg", "dcd-psgd"}) {
    const std::vector<Availability> all(4);
    const RunOutcome<double> always = simulate(run_of(method, all, half), 0ms);
    std::vector<Availability> one_late(4);
    one_late[3] = Availability({{1s, 2s}}, 2s);
    const RunOutcome<double> late = simulate(run_of(method, one_late, half), 0ms);
    check_same_bits(always, late);
    CHECK(late.seconds > 1.0);  // it was drawn for some round
  }
}

TEST_CASE(
    "availability: a run that would take more than 30 years ends with a sentence, not with a wrong time") {
  // A gradient takes 10^9 s, 2 * 10^10 s in all.
  const Availability slow({{0s, 10s, 1e6}}, 10s);
  auto experiment = run_of("d-psgd", {slow, slow}, "");
  experiment.settings.network.compute.median = 1000s;
  experiment.iterations = experiment.settings.run.iterations = 20;
  const std::string sentence =
      "run.iterations = 20: on this network the run takes more than 30 years; expected fewer iterations, a "
      "smaller model, or peers and links that are faster or more often there";
  CHECK(misuse_text([&] { simulate(experiment, 0ms); }) == sentence);
  const Availability seldom({{0s, 1s}}, 1'000'000'000s);  // the second gradient begins in the next period
  experiment.settings.availability = {Availability(), seldom};
  experiment.settings.network.compute.median = 900ms;
  CHECK(misuse_text([&] { simulate(experiment, 0ms); }) == sentence);
}

TEST_CASE("availability: an asynchronous run goes on without those that are away") {
  std::vector<Availability> one_away(5);
  one_away[2] = Availability({{0ms, 10ms}, {700ms, 5s}}, 5s);
  auto experiment = run_of("ad-psgd", one_away);
  experiment.iterations = 200;
  experiment.settings.run.iterations = experiment.settings.run.evaluate_every = 200;
  const RunOutcome<double> outcome = simulate(experiment, 0ms);
  CHECK(outcome.status == RunStatus::done);
  for (const PeerOutcome& peer : outcome.peers) CHECK(peer.iterations == 200);
  CHECK(outcome.seconds > 1.0);
  // Its neighbors ask it, and wait; the other two do not.
  for (const PeerId neighbor : {1, 3}) CHECK(outcome.peers[neighbor].meters.wait > 500ms);
}

TEST_CASE(
    "availability: the deadline of a round counts while the hub is there, and no absent worker is awaited") {
  const std::string closes = "topology.round_deadline = \"20 ms\"\nalgorithm.local_steps = 1\n";
  std::vector<Availability> worker_away(3);
  worker_away[2] = Availability({{0ms, 4ms}, {1s, 9s}}, 9s);
  const RunOutcome<double> without = simulate(run_of("fed-avg", worker_away, closes), 0ms);
  CHECK(without.status == RunStatus::done);
  CHECK(without.peers[0].meters.wait <= 4 * 20ms);  // the absent worker catches up when it is back

  // The hub is away while the answers of the second round come; it hears them all when it is back.
  std::vector<Availability> hub_away(3);
  hub_away[0] = Availability({{0ms, 10ms}, {900ms, 5s}}, 5s);
  const RunOutcome<double> outcome = simulate(run_of("fed-avg", hub_away, closes), 0ms);
  CHECK(outcome.status == RunStatus::done);
  CHECK(outcome.peers[0].meters.counters.late == 0);
  const std::vector<Availability> all(3);
  check_same_bits(outcome, simulate(run_of("fed-avg", all, closes), 0ms));
}

TEST_CASE("availability: the models of evaluations wait, too, where the network shapes them") {
  const std::string shaped = "network.evaluations = \"shaped\"\n";
  const Availability away({{0ms, 12ms}, {50ms, 100ms}}, 100ms);
  // The fourth iteration is over at 12 ms. Its model leaves at 50 ms, and travels for 3 ms.
  CHECK(simulate(run_of("d-psgd", {Availability(), away}, shaped), 0ms).seconds == 0.053);
}

TEST_CASE("availability: a run with a fault that does not matter has the bits and times of one without") {
  const std::string fault = "[[fault]]\nat = \"3600 s\"\npeer = 1\nkind = \"kill\"\n";
  for (const std::string method : {"d-psgd", "dcd-psgd", "fed-avg", "allreduce-sgd"}) {
    CAPTURE(method);
    const RunOutcome<double> plain = simulate(run_of(method, four_who_come_and_go()), 0ms);
    const RunOutcome<double> faulty = simulate(run_of(method, four_who_come_and_go(), fault), 0ms);
    check_same_bits(plain, faulty);
    CHECK(faulty.evaluations.back().seconds == plain.evaluations.back().seconds);
    for (std::size_t id = 0; id < plain.peers.size(); ++id)
      CHECK(faulty.peers[id].meters.compute == plain.peers[id].meters.compute);
  }
}

TEST_CASE("availability: a run is timed again, without training, as it would have been simulated") {
  const std::vector<Availability> all(4);
  auto experiment = run_of("dcd-psgd", all);
  const TracedRun<double> traced = simulate_traced(experiment, 0ms);
  RunSettings settings = experiment.settings;
  settings.availability = four_who_come_and_go();
  const RunOutcome<double> retimed = retime(experiment, traced, settings, 0ms);
  experiment.settings = settings;
  CHECK(record_text(experiment, retimed) == record_text(experiment, simulate(experiment, 0ms)));
}

TEST_CASE("availability: the sums of a timeline are those of the record, whoever comes and goes") {
  for (const std::string method : {"d-psgd", "choco-sgd", "allreduce-sgd", "fed-avg", "ad-psgd"}) {
    CAPTURE(method);
    Timeline timeline;
    RunControl control;
    control.timeline = &timeline;
    const auto experiment = run_of(method, four_who_come_and_go(), "network.bandwidth = \"1 Mbit/s\"\n");
    check_timeline(timeline, simulate(experiment, 0ms, control).peers);
  }
}

TEST_CASE("availability: in the timeline a gradient stands still while its peer is away") {
  const Availability peer({{0ms, 3ms}, {5ms, 10ms, 2.0}}, 10ms);
  Timeline timeline;
  RunControl control;
  control.timeline = &timeline;
  const RunOutcome<double> outcome = simulate(run_of("d-psgd", {peer}), 0ms, control);
  check_timeline(timeline, outcome.peers);
  std::vector<std::pair<Duration, Duration>> computed;
  for (const Activity& activity : timeline.activities())
    if (activity.kind == ActivityKind::computes) computed.emplace_back(activity.begin, activity.takes);
  const std::vector<std::pair<Duration, Duration>> expected = {{0ms, 2ms}, {2ms, 1ms},    {5ms, 2ms},
                                                               {7ms, 3ms}, {10ms, 500us}, {10'500us, 2ms}};
  CHECK(computed == expected);
}

}  // namespace hearsay::test::availability_run_test
