#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <utility>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/process/twins.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/timelines.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::availability_run_test {

using namespace std::chrono_literals;

namespace {

/// Returns a run of four peers, two of which come and go, with gradients of 2 ms.
Experiment<double> run_of(const std::string& method, double participation = 1.0) {
  auto experiment = regressions_in<double>({"ring", 4, "metropolis", "static", participation}, method,
                                           {.iterations = 12, .batch = 3}, 99);
  RunSettings& settings = experiment.settings;
  settings.run.evaluate_every = 4;
  settings.network.compute = {.kind = ComputeTime::Kind::constant, .median = 2ms};
  settings.network.latency = 1ms;
  settings.availability = {Availability(), Availability({{0ms, 20ms}, {60ms, 90ms, 3.0}}, 90ms),
                           Availability({{10ms, 60ms}}, 70ms), Availability()};
  return experiment;
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("availability: processes and the simulator end with the same bits, whoever comes and goes") {
    for (const std::string method : {"dcd-psgd", "fed-avg", "allreduce-sgd"}) {
      CAPTURE(method);
      const Twins<double> twins = check_twins(run_of(method));
      // No process is sooner than the trace lets it be. One that is later may miss the slow time of peer 1.
      CHECK(twins.real.seconds >= twins.simulated.seconds);
      CHECK(twins.real.peers[1].meters.compute >= 12 * 2ms);
    }
    for (const std::string method : {"dcd-psgd", "fed-avg"}) check_twins(run_of(method, 0.5));
  }

  TEST_CASE("availability: a gradient of a process that takes its own time waits for its peer, too") {
    auto experiment = run_of("dcd-psgd");
    experiment.settings.network.compute = {};
    experiment.settings.availability = std::vector<Availability>(4);
    experiment.settings.availability[2] = Availability({{300ms, 350ms}}, 350ms);
    const Twins<double> twins = check_twins(experiment);
    CHECK(twins.real.seconds >= 0.3);
  }

  TEST_CASE("availability: the timeline of processes has the sums of their record, without the absences") {
    Timeline timeline;
    RunControl control;
    control.timeline = &timeline;
    const RunOutcome<double> outcome = run_local(run_of("d-psgd"), control);
    REQUIRE_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
    check_timeline(timeline, outcome.peers);
  }

  TEST_CASE(
      "availability: workers that miss more rounds than an inbox usually holds have them all when back") {
    // The hub does all its rounds alone, at a millisecond each, long before anybody is back.
    auto experiment = experiment_from<double>(
        "run.iterations = 160\nrun.evaluate_every = 80\nmodel.kind = \"quadratic(10)\"\n"
        "topology.kind = \"star\"\ntopology.peers = 3\ntopology.round_deadline = \"1 ms\"\n"
        "algorithm.kind = \"fed-avg\"\nalgorithm.batch = \"full\"\nalgorithm.local_steps = 1\n"
        "network.compute = \"100 us\"\n");
    const Availability late({{3s, 60s}}, 60s);
    experiment.settings.availability = {Availability(), late, late};
    const RunOutcome<double> real = run_local(experiment);
    const RunOutcome<double> simulated = simulate(experiment, 0ms);
    REQUIRE_MESSAGE(real.status == RunStatus::done, real.reason);
    REQUIRE(real.peers.size() == simulated.peers.size());
    for (std::size_t id = 0; id < real.peers.size(); ++id) {
      CHECK(real.peers[id].iterations == 160);
      CHECK(real.peers[id].model_digest == simulated.peers[id].model_digest);
      CHECK(real.peers[id].meters.garbage == 0);
      CHECK(real.peers[id].meters.counters.overflow == 0);
    }
    CHECK(real.seconds >= 3.0);
  }

  TEST_CASE("availability: an asynchronous run of processes ends well while a peer comes and goes") {
    const RunOutcome<double> outcome = run_local(run_of("ad-psgd"));
    REQUIRE_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
    for (const PeerOutcome& peer : outcome.peers) CHECK(peer.iterations == 12);
  }

  TEST_CASE("availability: a run whose peer is away for an hour is interrupted at once") {
    auto experiment = run_of("d-psgd");
    experiment.settings.availability[2] = Availability({{1h, 2h}}, 2h);  // so long takes its first gradient
    std::atomic<bool> interrupted = false;
    RunControl control;
    control.interrupted = &interrupted;
    control.on_evaluation = [&](const Evaluation& evaluation) {
      CHECK(evaluation.iteration == 0);
      interrupted = true;
    };
    const RunOutcome<double> outcome = run_local(experiment, control);
    CHECK(outcome.status == RunStatus::interrupted);
    CHECK(outcome.seconds < 3600.0);
  }
}

}  // namespace hearsay::test::availability_run_test
