#include <doctest/doctest.h>

#include <algorithm>

#include "runtime/process/local_run.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/private_files.hpp"

namespace hearsay::test::shaped_run_test {

namespace {

/// Returns the time that the busiest port takes, at least, for what has passed it in whatever order. A
/// process that is late lets others' messages pass before its own, and then a run may end sooner than in
/// virtual time.
double busiest_port_seconds(const Experiment<float>& experiment, const RunOutcome<float>& outcome) {
  const auto peers = static_cast<double>(outcome.peers.size());
  // All evaluations pass the port of peer 0, one way or the other, but for its own.
  double bytes =
      static_cast<double>(outcome.evaluations.back().evaluation_bytes) * (peers - 1.0) / peers / 2.0;
  for (const PeerOutcome& peer : outcome.peers)
    bytes = std::max(bytes, static_cast<double>(peer.meters.bytes_sent));
  REQUIRE_FALSE(experiment.settings.network.bandwidth_up.unlimited());
  return bytes / experiment.settings.network.bandwidth_up.bytes_per_s;
}

/// Runs the experiment in processes and in virtual time. Both must end with the same bits, and the processes
/// must have taken as long as their ports, at least.
RunOutcome<float> check_shaped(const Experiment<float>& experiment) {
  RunOutcome<float> real = run_local(experiment);
  const auto simulated = simulate(experiment, Duration{0});
  REQUIRE_MESSAGE(real.status == simulated.status, real.reason);
  CHECK(real.seconds >= busiest_port_seconds(experiment, real));
  REQUIRE(real.peers.size() == simulated.peers.size());
  for (std::size_t id = 0; id < real.peers.size(); ++id) {
    CHECK(real.peers[id].model_digest == simulated.peers[id].model_digest);
    CHECK(real.peers[id].iterations == simulated.peers[id].iterations);
    CHECK(real.peers[id].meters.bytes_sent == simulated.peers[id].meters.bytes_sent);
    CHECK(real.peers[id].meters.garbage == 0);
  }
  REQUIRE(real.evaluations.size() == simulated.evaluations.size());
  for (std::size_t k = 0; k < real.evaluations.size(); ++k) {
    CHECK(real.evaluations[k].loss == simulated.evaluations[k].loss);
    CHECK(real.evaluations[k].evaluation_bytes == simulated.evaluations[k].evaluation_bytes);
  }
  return real;
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("shaped run: processes take the time of their evaluations, and end with the simulator's bits") {
    const auto experiment = experiment_from<float>(
        "run = { iterations = 6, evaluate_every = 2 }\nmodel.kind = \"quadratic(2500)\"\n"
        "topology = { kind = \"ring\", peers = 4 }\nalgorithm = { kind = \"d-psgd\", batch = \"full\" }\n"
        "network = { bandwidth = \"2 Mbit/s\", latency = \"2 ms\", compute = \"1 ms\", "
        "evaluations = \"shaped\" }\n");
    // Three evaluations of four models of 10 kB, one after the other through the port of the observer.
    CHECK(check_shaped(experiment).seconds > 3 * 4 * 10'064 / 250e3);
  }

  TEST_CASE("shaped run: the heartbeats do not repeat what is on the way") {
    // A heartbeat comes every 40 ms, and an evaluation takes half a second.
    const auto experiment = experiment_from<float>(
        "run = { iterations = 4, evaluate_every = 2 }\nmodel.kind = \"quadratic(2500)\"\n"
        "topology = { kind = \"ring\", peers = 3 }\nalgorithm = { kind = \"d-psgd\", batch = \"full\" }\n"
        "failure.lost_after = \"200 ms\"\n"
        "network = { bandwidth = \"500 kbit/s\", compute = \"1 ms\", evaluations = \"shaped\" }\n");
    check_shaped(experiment);
  }

  TEST_CASE("shaped run: while the data are at home, questions and answers pass the network, too") {
    const PrivateFiles files;
    RunSettings settings = files.at_home();
    settings.network.bandwidth_up = settings.network.bandwidth_down = Bandwidth{20e3};
    settings.network.latency = std::chrono::milliseconds(5);
    settings.network.compute = {.kind = ComputeTime::Kind::constant, .median = std::chrono::milliseconds(1)};
    settings.evaluations = EvaluationFrames::shaped;
    check_shaped(prepare<float>(settings));
    settings.run.evaluate = RunSettings::Run::Evaluate::own;
    settings.run.output = files.folder.path() / "own";
    check_shaped(prepare<float>(settings));
  }

  TEST_CASE("shaped run: a run that reaches its target stops where the simulator does") {
    const auto experiment = experiment_from<float>(
        "data.source = \"synthetic(samples=96, features=6, classes=3)\"\n"
        "run = { iterations = 400, evaluate_every = 4, target_loss = 0.9 }\ntopology.peers = 4\n"
        "algorithm.kind = \"d-psgd\"\n"
        "network = { bandwidth = \"1 Mbit/s\", latency = \"2 ms\", compute = \"1 ms\", "
        "evaluations = \"shaped\" }\n");
    CHECK(check_shaped(experiment).status == RunStatus::target);
  }
}

}  // namespace hearsay::test::shaped_run_test
