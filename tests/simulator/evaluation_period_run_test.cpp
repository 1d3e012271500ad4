#include <doctest/doctest.h>

#include "runtime/simulator/retiming.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::evaluation_period_run_test {

namespace {

/// Eight peers whose iteration takes 0.1 s, within a percent.
std::string run_with(const std::string& evaluate_every, const std::string& more = "") {
  return "run.iterations = 2000\nrun.evaluate_every = " + evaluate_every +
         "\nmodel.kind = \"quadratic(10)\"\nalgorithm.kind = \"d-psgd\"\ntopology.kind = \"ring\"\n"
         "topology.peers = 8\nnetwork.latency = \"1 ms\"\nnetwork.compute = \"99 ms\"\n" +
         more;
}

RunOutcome<double> simulated(const std::string& run) {
  return simulate(experiment_from<double>(run), Duration{0});
}

}  // namespace

TEST_CASE("evaluation period: after a short start evaluations are as far apart as the run file says") {
  const RunOutcome<double> by_time = simulated(run_with("\"10 s\""));
  const std::vector<Evaluation>& all = by_time.evaluations;
  REQUIRE(all.size() > 20);
  CHECK(all.size() < 30);  // 200 s, and the start
  for (std::size_t k = 8; k + 2 < all.size(); ++k)
    CHECK(all[k + 1].seconds - all[k].seconds == doctest::Approx(10.0).epsilon(0.02));
  CHECK(all.back().iteration == 2000);
  CHECK(by_time.models == simulated(run_with("100")).models);
}

TEST_CASE("evaluation period: it holds for evaluations that pass the network, too") {
  const RunOutcome<double> shaped = simulated(run_with("\"10 s\"", "network.evaluations = \"shaped\"\n"));
  CHECK(shaped.evaluations.size() > 20);
  CHECK(shaped.evaluations.size() < 30);
  CHECK(shaped.models == simulated(run_with("100")).models);
}

TEST_CASE("evaluation period: where time stands still the evaluations still end") {
  const RunOutcome<double> instant = simulated(
      "run.iterations = 100000\nrun.evaluate_every = \"1 s\"\nmodel.kind = \"quadratic(2)\"\n"
      "algorithm.kind = \"d-psgd\"\ntopology = { kind = \"ring\", peers = 3 }\nnetwork.compute = \"0 s\"\n");
  CHECK(instant.evaluations.size() < 20);
  CHECK(instant.evaluations.back().iteration == 100000);
}

TEST_CASE("evaluation period: a run whose evaluations follow its clock is not timed again from its traces") {
  const auto experiment = experiment_from<double>(run_with("\"10 s\""));
  CHECK(!may_be_retimed(experiment, simulate_traced(experiment, Duration{0})));
}

TEST_CASE("evaluation period: what has to know its evaluations beforehand refuses it, and says why") {
  const auto refusal = [](const std::string& more) {
    return misuse_text([&] { experiment_from<double>(run_with("\"30 s\"", more)); });
  };
  const std::string end = "; expected a number of iterations";
  const std::string begin = "run.evaluate_every = \"30 s\": ";
  const auto check_refused = [&](const std::string& more, const std::string& why) {
    const std::string text = refusal(more);
    CAPTURE(text);
    CHECK(text.starts_with(begin));
    CHECK(text.ends_with(end));
    CHECK(text.find(why) != std::string::npos);
  };
  check_refused("failure.policy = \"drop\"\n", "failure.policy");
  check_refused("run.keep_models = \"every 10\"\n", "run.keep_models");
  check_refused("failure.checkpoint_every = \"5 s\"\n", "failure.checkpoint_every");
  CHECK(refusal("failure.checkpoint_every = 10\n").empty());
  CHECK(refusal("topology.participation = 0.5\n").empty());
  check_refused("topology.participation = 0.5\nfailure.checkpoint_every = 10\n", "every checkpoint");
}

}  // namespace hearsay::evaluation_period_run_test
