#include "tools/check/step_size_limit.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"
#include "tools/check/curvature.hpp"

namespace hearsay::test::step_size_limit_test {

namespace {

constexpr PeerId peers = 4;

/// The largest curvature of the quadratics of all peers.
double true_curvature() {
  double largest = 0.0;
  for (PeerId id = 0; id < peers; ++id) largest = std::max(largest, curvature<double>(19, 3, id).maxCoeff());
  return largest;
}

Experiment<double> experiment_with(const std::string& method, double step_size,
                                   const MethodOptions& options = {}) {
  return quadratics_in<double>(
      {"ring", peers}, method,
      {.compressor = "none", .iterations = 2000, .step_size = step_size, .options = options});
}

double largest_entry_at_the_end(const Experiment<double>& experiment) {
  const Recording<double> recording = record_run(experiment);
  if (recording.size() <= experiment.iterations) return std::numeric_limits<double>::infinity();  // gave up
  double largest = 0.0;
  for (const PeerRecord<double>& peer : recording.back())
    largest = std::max(largest, peer.model.cwiseAbs().maxCoeff());
  return largest;
}

}  // namespace

TEST_CASE("step size limit: the curvature that is found is that of the steepest quadratic, from below") {
  const std::optional<Curvatures> found = curvatures(experiment_with("d-psgd", 0.1));
  REQUIRE(found.has_value());
  CHECK(found->largest <= true_curvature() * (1 + 1e-6));
  CHECK(found->largest > 0.9 * true_curvature());
  CHECK(found->least < found->largest);
}

TEST_CASE(
    "step size limit: what is warned of diverges where all peers share a curvature, and the rest does not") {
  // On a ring of 4, 1 + lambda_n = 2/3.
  const double limit = 2.0 / 3.0 / true_curvature();
  for (const std::string method : {"d-psgd", "dcd-psgd"}) {
    CAPTURE(method);
    const auto over = experiment_with(method, 1.2 * limit);
    const auto warning = step_size_warning(over);
    REQUIRE(warning.has_value());
    CHECK(warning->find("in the form combine-then-adapt is unstable on this topology; expected less than ") !=
          std::string::npos);
    CHECK_FALSE(step_size_warning(experiment_with(method, 0.9 * limit)).has_value());
    CHECK(largest_entry_at_the_end(experiment_with(method, 0.9 * limit)) < 10.0);
    CHECK_FALSE(
        step_size_warning(experiment_with(method, 1.2 * limit, {{option::order, "adapt-then-combine"}}))
            .has_value());
    CHECK(largest_entry_at_the_end(
              experiment_with(method, 1.2 * limit, {{option::order, "adapt-then-combine"}})) < 10.0);
  }
  Plan plan{.compressor = "none", .iterations = 2000, .step_size = 1.2 * limit};
  const auto shared = quadratics_in<double>({"ring", peers}, "d-psgd", plan, Shared::curvature);
  const std::optional<Curvatures> common = curvatures(shared);
  REQUIRE(common.has_value());
  plan.step_size = 1.05 * 2.0 / 3.0 / common->largest;
  CHECK(largest_entry_at_the_end(quadratics_in<double>({"ring", peers}, "d-psgd", plan, Shared::curvature)) >
        1e3);
}

TEST_CASE("step size limit: a small gamma or many local steps are judged by their own factor, as runs are") {
  const auto judged = [](const std::string& weights, double step_size, const MethodOptions& options) {
    const Plan plan{.compressor = "none", .iterations = 1000, .step_size = step_size, .options = options};
    const auto experiment =
        quadratics_in<double>({"ring", peers, weights}, "d-psgd", plan, Shared::curvature);
    const bool settles = largest_entry_at_the_end(experiment) < 100.0;
    CHECK(step_size_warning(experiment).has_value() != settles);
    return settles;
  };
  const auto unit = quadratics_in<double>({"ring", peers}, "d-psgd", {}, Shared::curvature);
  const double eta = 1.0 / curvatures(unit)->largest;
  CHECK_FALSE(judged("metropolis", 0.75 * eta, {{option::consensus_step, 1.0}}));
  CHECK(judged("metropolis", 1.3 * eta, {{option::consensus_step, 0.25}}));
  CHECK_FALSE(judged("metropolis", 0.5 * eta, {{option::consensus_step, 1.3}}));
  const MethodOptions many = {{option::local_steps, 20}, {option::order, "combine-then-adapt"}};
  CHECK(judged("lazy", 0.15 * eta, many));
  CHECK_FALSE(judged("metropolis", 0.15 * eta, many));
}

}  // namespace hearsay::test::step_size_limit_test
