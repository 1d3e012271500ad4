#include "tools/check/tracker_limit.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::tracker_limit_test {

namespace {

Experiment<double> experiment_with(const std::string& method, const std::string& consensus_step) {
  return experiment_from<double>(
      "run.iterations = 6000\nrun.evaluate_every = 2000\nmodel.kind = \"quadratic(1000)\"\n"
      "[topology]\nkind = \"hypercube\"\npeers = 8\n"
      "[algorithm]\nkind = \"" +
      method +
      "\"\ncompressor = \"sign(bucket=512)\"\nstep_size = 0.02\nbatch = \"full\"\nconsensus_step = " +
      consensus_step + "\n");
}

/// How far the peers are apart after 6,000 iterations, over how far they were after 2,000.
double drift(const Experiment<double>& experiment) {
  const std::vector<Evaluation> evaluations = simulate(experiment, Duration{0}).evaluations;
  if (evaluations.size() < 4) return std::numeric_limits<double>::infinity();  // it diverged
  return evaluations.back().consensus_distance / evaluations[1].consensus_distance;
}

/// The number at the end of a warning.
std::string named_step(const std::string& warning) {
  const std::string before = "expected less, such as ";
  REQUIRE(contains(warning, before));
  return warning.substr(warning.find(before) + before.size());
}

}  // namespace

TEST_CASE(
    "tracker limit: steps at which trackers drift apart are warned of, and one is named that is better") {
  for (const std::string method : {"beer", "c-gt"}) {
    CAPTURE(method);
    const auto bold = experiment_with(method, "0.1");
    const std::optional<std::string> warning = tracker_warning(bold);
    REQUIRE(warning);
    CHECK(drift(bold) > 10.0);
    const auto safe = experiment_with(method, named_step(*warning));
    CHECK_FALSE(tracker_warning(safe));
    CHECK(drift(safe) < 1.0);
  }
}

}  // namespace hearsay::test::tracker_limit_test
