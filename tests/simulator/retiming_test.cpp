#include "runtime/simulator/retiming.hpp"

#include <doctest/doctest.h>

#include "algorithms/methods/registry.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/outcome_record.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::retiming_test {

namespace {

/// Networks of all kinds, so that each changes other times of the run.
const std::vector<std::string> networks = {
    "", "network = { bandwidth = \"10 Mbit/s\", latency = \"5 ms\", compute = \"0 s\" }\n",
    "network = { bandwidth_up = \"5 Mbit/s\", bandwidth_down = \"1 Gbit/s\", latency = \"100 us\", jitter = "
    "\"3 ms\", message_loss = \"2%\", framing = \"ethernet\", compute = \"lognormal(2 ms, 0.5)\", "
    "peer = [{ id = 2, bandwidth = \"1 Mbit/s\", compute = \"20 ms\" }] }\n",
    "network = { bandwidth_trace = [\"0,10 Mbit/s\", \"0.003,0 bit/s\", \"0.005,400 kbit/s\"], latency = \"1 "
    "ms\", "
    "compute = \"1 ms\", peer = [{ id = 1, bandwidth_trace = [\"0,2 Mbit/s\", \"0.01,unlimited\"] }] }\n",
    "network = { bandwidth = \"200 kbit/s\", latency = \"2 ms\", jitter = \"1 ms\", compute = \"1 ms\", "
    "evaluations = \"shaped\" }\n"};

RunSettings with_network(RunSettings settings, const std::string& network) {
  const RunSettings other = parse_run(network, ".", {}, "network.toml");
  settings.network = other.network;
  settings.peer_networks = other.peer_networks;
  settings.framing = other.framing;
  settings.evaluations = other.evaluations;
  return settings;
}

template <class Scalar>
void check_retiming(Experiment<Scalar> experiment) {
  CAPTURE(experiment.method->name);
  const RunSettings plain = experiment.settings;
  constexpr Duration gradient = std::chrono::microseconds(300);
  const TracedRun<Scalar> traced = simulate_traced(experiment, gradient);
  REQUIRE(may_be_retimed(experiment, traced));
  for (const std::string& network : networks) {
    CAPTURE(network);
    const RunSettings settings = with_network(plain, network);
    const RunOutcome<Scalar> retimed = retime(experiment, traced, settings, gradient);
    experiment.settings = settings;
    CHECK(record_text(experiment, retimed) == record_text(experiment, simulate(experiment, gradient)));
    experiment.settings = plain;
  }
}

const std::string data =
    "data.source = \"synthetic(samples=96, features=6, classes=3)\"\nrun.evaluate_every = 4\n";

}  // namespace

TEST_CASE(
    "retiming: every synchronous method is timed on any network as if it had been trained there, to the last "
    "digit") {
  int tried = 0;
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous) continue;
    ++tried;
    check_retiming(experiment_from<double>(data + "run.iterations = 14\ntopology = { kind = \"" +
                                           (method.pattern.has_hub ? "star" : "torus(3x3)") +
                                           "\", peers = 9 }\n"
                                           "algorithm = { kind = \"" +
                                           method.name + "\", step_size = 0.01, allow_unsound = true }\n"));
  }
  CHECK(tried > 20);
}

TEST_CASE(
    "retiming: so is one whose links vary, that is stale, sends by what the data say, or takes all its "
    "samples") {
  for (const std::string more :
       {"topology = { kind = \"exponential\", peers = 8, schedule = \"one-peer-exponential\" "
        "}\nalgorithm.kind = \"d-psgd\"\n",
        "topology = { kind = \"complete\", peers = 6, schedule = \"random-matchings\", participation = 0.7 "
        "}\n"
        "algorithm.kind = \"d-psgd\"\n",
        "topology.peers = 5\nalgorithm = { kind = \"d-psgd\", staleness = 2, consensus_step = 0.3 }\n",
        "topology.peers = 6\nalgorithm = { kind = \"choco-sgd\", compressor = \"topk(20%) | natural | "
        "delta\", batch = \"full\" }\n",
        "topology = { peers = 6, participation = 0.5 }\nalgorithm = { kind = \"artemis\", compressor = "
        "\"topk(20%)\", allow_unsound = true, memory_step = 0.3 }\n",
        "topology = { peers = 6, participation = 0.5 }\nalgorithm = { kind = \"chb\", batch = \"full\" }\n",
        "topology.peers = 6\nalgorithm = { kind = \"d-psgd\", local_steps = 3 }\n"}) {
    CAPTURE(more);
    check_retiming(experiment_from<float>(data + "run.iterations = 21\n" + more));
  }
}

TEST_CASE("retiming: a run that reached its target reaches it at another time") {
  const auto experiment = experiment_from<double>(
      data +
      "run.iterations = 400\nrun.target_loss = 0.9\ntopology.peers = 5\nalgorithm.kind = \"d-psgd\"\n");
  const TracedRun<double> traced = simulate_traced(experiment, Duration{1000});
  REQUIRE(traced.outcome.status == RunStatus::target);
  REQUIRE(traced.outcome.peers.front().iterations < 400);
  check_retiming(experiment_from<double>(
      data +
      "run.iterations = 400\nrun.target_loss = 0.9\ntopology.peers = 5\nalgorithm.kind = \"d-psgd\"\n"));
}

TEST_CASE("retiming: a run that ended at a plateau, and its best evaluation, come at another time") {
  const std::string text =
      data +
      "run.iterations = 4000\nrun.patience = 4\nrun.keep = \"best\"\nrun.evaluate = \"peers\"\n"
      "topology.peers = 5\nalgorithm.kind = \"d-psgd\"\nalgorithm.step_size = 2.0\n";
  const auto experiment = experiment_from<double>(text);
  const TracedRun<double> traced = simulate_traced(experiment, Duration{1000});
  REQUIRE(traced.outcome.status == RunStatus::plateau);
  REQUIRE(may_be_retimed(experiment, traced));
  const auto slower = retime(experiment, traced, experiment.settings, Duration{5000});
  CHECK(slower.best->iteration == traced.outcome.best->iteration);
  CHECK(slower.best->seconds > traced.outcome.best->seconds);
  CHECK(slower.kept_model() == traced.outcome.kept_model());
  check_retiming(experiment_from<double>(text));
}

TEST_CASE("retiming: an asynchronous run, and one that diverged, depend on the network") {
  const auto asynchronous =
      experiment_from<double>(data + "run.iterations = 8\nalgorithm.kind = \"ad-psgd\"\n");
  CHECK_FALSE(may_be_retimed(asynchronous, simulate_traced(asynchronous, Duration{1000})));
  const Experiment<double> wild = experiment_from<double>(
      "model.kind = \"quadratic(3)\"\nrun.iterations = 4000\ntopology.peers = 4\n"
      "algorithm = { kind = \"d-psgd\", batch = \"full\", step_size = 1000.0 }\n");
  const TracedRun<double> traced = simulate_traced(wild, Duration{1000});
  CHECK(traced.outcome.status == RunStatus::diverged);
  CHECK_FALSE(may_be_retimed(wild, traced));
}

TEST_CASE("peer script: iterations that are alike are kept once, those sat out have no steps") {
  WorkTrace script;
  for (const std::uint64_t number : {1u, 2u, 4u}) {
    script.begin(number);
    script.add({.kind = WorkStep::Kind::gradient, .amount = 32});
    if (number == 4) script.add({WorkStep::Kind::send, 0, 3, 100});
  }
  script.end();
  CHECK(script.of(1).data() == script.of(2).data());
  CHECK(script.of(3).empty());
  CHECK(script.of(4).size() == 2);
  CHECK(script.of(5).empty());
  CHECK(script.most_samples() == 32);
}

}  // namespace hearsay::test::retiming_test
