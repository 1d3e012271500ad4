#include "tools/check/censor_limit.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "runtime/foundation/units.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tools/check/curvature.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay::censor_limit_test {

namespace {

constexpr std::uint64_t iterations = 40;

/// Quadratics whose largest curvatures differ from worker to worker.
Experiment<double> censored(const std::string& more) {
  return experiment_from<double>(
      "run = { iterations = 40, evaluate_every = 40 }\nmodel.kind = \"quadratic(8)\"\ntopology.peers = 4\n"
      "algorithm = { kind = \"chb\", batch = \"full\", " +
      more + " }\n");
}

Experiment<double> with_threshold(double threshold, double step_size = 0.01) {
  return censored("step_size = " + number_text(step_size) + ", threshold = " + number_text(threshold));
}

Curvatures curvatures_of_all() {
  const std::optional<Curvatures> found = curvatures(with_threshold(0.0));
  REQUIRE(found.has_value());
  return *found;
}

/// Returns in how many iterations the workers sent a gradient, the most of a worker.
double most_sent(const Experiment<double>& experiment) {
  constexpr double header = 64.0, gradient = 8.0 * 8.0;
  double most = 0.0;
  const RunOutcome<double> outcome = simulate(experiment, Duration{0});
  for (PeerId id = 1; id < outcome.peers.size(); ++id)
    most = std::max(most, (static_cast<double>(outcome.peers[id].meters.bytes_sent) -
                           header * static_cast<double>(iterations)) /
                              gradient);
  return most;
}

}  // namespace

TEST_CASE("censor limit: a threshold is warned of above both its limits, whichever is the larger") {
  const double least = curvatures_of_all().least;
  for (const double step_size : {0.2 / least, 3.0 / least}) {  // the limit is (0.6 / step_size)^2, or least^2
    CAPTURE(step_size);
    const double limit = std::max(0.36 / (step_size * step_size), least * least);
    CHECK_FALSE(censor_warning(with_threshold(0.0, step_size)).has_value());
    CHECK_FALSE(censor_warning(with_threshold(0.99 * limit, step_size)).has_value());
    const auto warning = censor_warning(with_threshold(1.01 * limit, step_size));
    REQUIRE(warning.has_value());
    CHECK(warning->starts_with("algorithm.threshold = " + number_text(1.01 * limit) + ": above the square"));
    CHECK(warning->ends_with("expected at most " + three_digits(limit)));
  }
  CHECK_FALSE(censor_warning(experiment_from<double>("algorithm.kind = \"fed-avg\"\n")).has_value());
}

TEST_CASE("censor limit: auto stands with the published momentum at short steps, and not with a long one") {
  const std::string step = "step_size = " + number_text(0.1 / curvatures_of_all().largest);
  CHECK_FALSE(censor_warning(censored(step)).has_value());
  const auto warning = censor_warning(censored(step + ", momentum = 0.9"));
  REQUIRE(warning.has_value());
  CHECK(warning->starts_with("algorithm.threshold = auto, which is 0.1 / step_size^2 = "));
  CHECK(warning->ends_with(", or algorithm.momentum of at most 0.68"));
  CHECK_FALSE(censor_warning(censored(step + ", momentum = 0.68")).has_value());
}

TEST_CASE(
    "censor limit: below it the loss falls by half of what heavy ball gains at least, far above it not") {
  const double step_size = 0.3 / curvatures_of_all().largest;
  const double limit = 0.36 / (step_size * step_size);  // four times the square of the largest curvature
  const auto progress = [&](double threshold) {
    const auto outcome = simulate(with_threshold(threshold, step_size), Duration{0});
    return outcome.evaluations.front().loss - outcome.evaluations.back().loss;
  };
  const double of_heavy_ball = progress(0.0);
  CHECK(of_heavy_ball > 0.0);
  CHECK(progress(0.9 * limit) > 0.5 * of_heavy_ball);
  CHECK(progress(20.0 * limit) < 0.5 * of_heavy_ball);
}

TEST_CASE("censor limit: above the squares of all curvatures no worker sends twice in a row") {
  const double largest = curvatures_of_all().largest;
  CHECK(most_sent(with_threshold(0.0)) == iterations);
  CHECK(most_sent(with_threshold(1.05 * largest * largest)) <= iterations / 2);
}

TEST_CASE("censor limit: a hub without data has no curvature, its workers have") {
  CHECK(curvatures(experiment_from<double>("topology = { peers = 3, hub = \"dedicated\" }\n"
                                           "algorithm.kind = \"chb\"\n"))
            .has_value());
}

}  // namespace hearsay::censor_limit_test
