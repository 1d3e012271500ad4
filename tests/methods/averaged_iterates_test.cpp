// Artemis and its kin with a constant step: the average of the hub's models (Polyak, Ruppert), of which the
// papers' theorems on convex losses speak.
#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <string>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::averaged_iterates_test {

namespace {

constexpr Index dimension = 6;
constexpr PeerId peers = 5;

/// The mean of the peers' losses, which are quadratic.
struct Quadratic {
  Eigen::MatrixXd curvature = Eigen::MatrixXd(dimension, dimension);
  Vector<double> optimum = Vector<double>(dimension);

  explicit Quadratic(const Problem<double>& problem) {
    const Vector<double> at_zero = gradient(problem, Vector<double>::Zero(dimension));
    for (Index k = 0; k < dimension; ++k)
      curvature.col(k) = gradient(problem, Vector<double>::Unit(dimension, k)) - at_zero;
    optimum = -curvature.llt().solve(at_zero);
  }
  static Vector<double> gradient(const Problem<double>& problem, const Vector<double>& x) {
    Vector<double> sum = Vector<double>::Zero(dimension);
    Vector<double> of_peer(dimension);
    for (const auto& objective : problem.objectives) {
      std::vector<Index> samples;
      for (Index s = 0; s < objective->sample_count(); ++s) samples.push_back(s);
      objective->gradient(x, samples, of_peer);
      sum += of_peer / static_cast<double>(problem.objectives.size());
    }
    return sum;
  }
  double gap(const Vector<double>& x) const { return (x - optimum).dot(curvature * (x - optimum)) / 2; }
};

/// How far the loss of a run is above the least.
struct Gaps {
  double of_models = 0.0;  // the mean over its last half
  double of_average = 0.0;
};

Gaps gaps_of(const std::string& method, std::uint64_t iterations) {
  Plan plan{.compressor = "dither(linf, levels=1)", .iterations = iterations, .step_size = 0.2, .batch = 1};
  if (find_method(method).options.has(option::down_compressor))
    plan.options.set(option::down_compressor, plan.compressor);
  const auto experiment = regressions_in<double>({"star", peers}, method, plan, dimension);
  const Quadratic loss(experiment.problem);
  const auto recording = record_run(experiment);
  Gaps gaps;
  Vector<double> average = Vector<double>::Zero(dimension);
  for (std::uint64_t t = 1; t <= iterations; ++t) {
    const Vector<double>& x = recording[t][0].model;
    average += (x - average) / static_cast<double>(t);
    if (2 * t > iterations) gaps.of_models += loss.gap(x) * 2 / static_cast<double>(iterations);
  }
  gaps.of_average = loss.gap(average);
  return gaps;
}

}  // namespace

TEST_CASE("averages: a constant step leaves a floor of noise, below which the average of the models falls") {
  for (const std::string method : {"artemis", "diana", "mcm", "rand-mcm"}) {
    CAPTURE(method);
    const Gaps shorter = gaps_of(method, 1000);
    const Gaps longer = gaps_of(method, 4000);
    CHECK(longer.of_models > shorter.of_models / 2);
    CHECK(shorter.of_average < shorter.of_models / 3);
    CHECK(longer.of_average < longer.of_models / 20);
    CHECK(longer.of_average < shorter.of_average / 4);
  }
}

}  // namespace hearsay::test::averaged_iterates_test
