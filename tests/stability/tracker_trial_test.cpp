// The trial of compressed gradient tracking: against the exact spectral radius where nothing is lost, and
// against runs where much is.
#include "algorithms/stability/tracker_trial.hpp"

#include <doctest/doctest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "algorithms/compression/registry.hpp"

namespace hearsay::test::tracker_trial_test {

namespace {

constexpr std::size_t coordinates = 20;

/// How fast peers draw apart, or together, if every message is exact: the largest spectral radius of
///
///     x' = x - gamma m x - eta y,   y' = y - gamma m y + a (x' - x)
///
/// over the eigenvalues m != 0 of M, a ring of 8, and the curvatures a.
double exact_rate(const CompressedTracking& of, double fastest) {
  double largest = 0.0;
  for (int k = 1; k < 8; ++k) {
    const double m = fastest * (1.0 - std::cos(2.0 * std::numbers::pi * k / 8.0)) / 2.0;
    for (std::size_t c = 1; c <= coordinates; ++c) {
      const double a = of.curvature * static_cast<double>(c) / static_cast<double>(coordinates);
      const double pull = of.consensus_step * m;
      Eigen::Matrix2d step;
      step << 1.0 - pull, -of.step_size, -a * pull, 1.0 - pull - a * of.step_size;
      largest = std::max(largest, step.eigenvalues().cwiseAbs().maxCoeff());
    }
  }
  return largest;
}

bool settle(const CompressedTracking& of, double fastest, const std::string& spelling) {
  const auto compressor = make_compressor<double>(spelling, {});
  return trackers_settle(of, fastest, *compressor, coordinates);
}

}  // namespace

TEST_CASE("tracker trial: without loss it settles just where the exact spectral radius is below 1") {
  int settled = 0, apart = 0;
  for (const double step_size : {0.01, 0.1, 0.5, 1.0, 1.8, 2.5})
    for (const double consensus_step : {0.05, 0.3, 0.8, 1.0, 1.3, 1.7})
      for (const double fastest : {1.0, 1.5}) {
        const CompressedTracking of{step_size, consensus_step, 1.0, 1.0};
        const double rate = exact_rate(of, fastest);
        if (std::abs(rate - 1.0) < 1e-3) continue;  // no trial of 6,000 rounds tells these apart
        CAPTURE(step_size);
        CAPTURE(consensus_step);
        CAPTURE(fastest);
        CAPTURE(rate);
        CHECK(settle(of, fastest, "none") == (rate < 1.0));
        ++(rate < 1.0 ? settled : apart);
      }
  CHECK(settled > 10);
  CHECK(apart > 10);
}

TEST_CASE("tracker trial: what a lossy compressor leaves out comes back, so less settles than without loss") {
  const CompressedTracking bold{0.02, 0.3, 1.0, 1.0};
  CHECK(exact_rate(bold, 1.5) < 1.0);
  CHECK(settle(bold, 1.5, "none"));
  CHECK_FALSE(settle(bold, 1.5, "topk(5%)"));
  CHECK(settle({0.02, 0.01, 1.0, 1.0}, 1.5, "topk(5%)"));
}

}  // namespace hearsay::test::tracker_trial_test
