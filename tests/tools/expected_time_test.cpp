#include "tools/training/expected_time.hpp"

#include <doctest/doctest.h>

#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::expected_time_test {

namespace {

Experiment<double> on_network(const std::string& network) {
  return experiment_from<double>(
      "run.iterations = 200\nmodel.kind = \"quadratic(50)\"\ntopology.peers = 4\n"
      "algorithm = { kind = \"d-psgd\", batch = \"full\" }\nnetwork = { " +
      network + " }\n");
}

Evaluation evaluation(std::uint64_t iteration, double seconds) {
  Evaluation evaluation;
  evaluation.iteration = iteration;
  evaluation.seconds = seconds;
  evaluation.bytes_sent = 1000 * iteration;
  evaluation.messages_sent = 8 * iteration;
  evaluation.gradient_evaluations = 4 * iteration;
  return evaluation;
}

/// A run of 100 iterations with 11 evaluations.
RunResult measured_run() {
  RunResult run;
  for (std::uint64_t k = 0; k <= 10; ++k) run.evaluations.push_back(evaluation(10 * k, 0.0));
  return run;
}

}  // namespace

TEST_CASE("expected time: the network's, or the work of all peers shared by the cores, and the sockets") {
  const RunResult run = measured_run();
  const TriedIterations tried{evaluation(6, 0.065), evaluation(12, 0.125), 0.04, 0.2};
  // 100 iterations of 10 ms and 5 ms at the start; 4 s and 11 evaluations of work; 800 messages.
  CHECK(*expected_seconds(run, tried, 100) == doctest::Approx(1.005 + 0.04 / 100));
  CHECK(*expected_seconds(run, tried, 2) == doctest::Approx((4.0 + 2.2 + 0.04) / 2));
}

TEST_CASE("expected time: iterations that differ from the first ones are not told by them") {
  const TriedIterations tried{evaluation(6, 0.06), evaluation(12, 0.12), 0.0, 0.0};
  for (const auto member :
       {&Evaluation::bytes_sent, &Evaluation::messages_sent, &Evaluation::gradient_evaluations}) {
    RunResult run = measured_run();
    run.evaluations.back().*member *= 2;
    CHECK_FALSE(expected_seconds(run, tried, 1).has_value());
  }
  RunResult nothing_done;
  nothing_done.evaluations.push_back(evaluation(0, 0.0));
  CHECK_FALSE(expected_seconds(nothing_done, tried, 1).has_value());
}

TEST_CASE("expected time: from 12 of 200 simulated iterations it is what the simulator says of all") {
  auto experiment = on_network("compute = \"2 ms\", latency = \"3 ms\"");
  const RunSettings settings = experiment.settings;
  const RunOutcome<double> whole = simulate(experiment, Duration{0});
  const auto tried = try_iterations(experiment, std::chrono::hours(1));
  REQUIRE(tried.has_value());
  const double sockets = 50e-6 * static_cast<double>(whole.evaluations.back().messages_sent);
  CHECK(*expected_seconds(whole, *tried, 1'000'000) ==
        doctest::Approx(whole.seconds + sockets / 1'000'000).epsilon(0.01));
  CHECK(tried->cpu_per_iteration > 0.0);
  // The experiment is unchanged, its objectives included.
  CHECK(experiment.settings == settings);
  CHECK(experiment.iterations == 200);
  CHECK(simulate(experiment, Duration{0}).evaluations.back().loss == whole.evaluations.back().loss);
  CHECK_FALSE(try_iterations(experiment, Duration{0}).has_value());
}

TEST_CASE("expected time: a run whose peers join later is tried with all of them, and keeps its settings") {
  auto experiment = on_network("compute = \"2 ms\"");
  experiment.settings.failure.policy = RunSettings::Failure::Policy::drop;
  experiment.settings.failure.join_later = {1};
  experiment.settings.faults = {Fault{std::chrono::seconds(1), {1}, Fault::Kind::rejoin}};
  const RunSettings settings = experiment.settings;
  CHECK(try_iterations(experiment, std::chrono::hours(1)).has_value());
  CHECK(experiment.settings == settings);
}

TEST_CASE("expected time: an evaluation of every peer's model has so many losses more") {
  CHECK(losses_per_evaluation(RunSettings::Run::Evaluate::mean, 20) == 20);
  CHECK(losses_per_evaluation(RunSettings::Run::Evaluate::peers, 20) == 20 * 21);
}

TEST_CASE("expected time: what a try would cost is known from the run's gradients") {
  RunResult run = measured_run();
  run.peers.resize(2);
  for (PeerOutcome& peer : run.peers) {
    peer.iterations = 10;
    peer.meters.compute = std::chrono::seconds(1);
  }
  CHECK(seconds_to_try(run) == doctest::Approx(5 * 0.1 + 2 * 0.2));
}

TEST_CASE("expected time: what depends on chance is not predicted") {
  const auto repeats = [](const std::string& network) {
    const auto experiment = on_network(network);
    return repeats_its_iterations(experiment.settings, *experiment.method);
  };
  CHECK(repeats("latency = \"3 ms\", bandwidth = \"1 Mbit/s\""));
  CHECK(repeats("compute = \"2 ms\""));
  CHECK_FALSE(repeats("jitter = \"1 ms\""));
  CHECK_FALSE(repeats("message_loss = 0.01"));
  CHECK_FALSE(repeats("compute = \"lognormal(2 ms, 0.3)\""));
  CHECK_FALSE(repeats("peer = [{ id = 1, jitter = \"1 ms\" }]"));
  auto failing = on_network("compute = \"2 ms\"");
  failing.settings.faults = {Fault{std::chrono::seconds(1), {1}, Fault::Kind::death}};
  CHECK_FALSE(repeats_its_iterations(failing.settings, *failing.method));
}

TEST_CASE("expected time: a run is called slow beyond 1.3 times and 0.2 s") {
  CHECK(slowness_text(13.5, 4.82) == "2.8 times as long as the 4.82 s predicted: this machine was busy");
  CHECK(slowness_text(6.2, 4.82).empty());
  CHECK(slowness_text(0.1, 0.01).empty());
  CHECK(slowness_text(1.0, 2.0).empty());
}

}  // namespace hearsay::expected_time_test
