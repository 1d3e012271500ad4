#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/methods/method_variants.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::clip_test {

namespace {

/// Those whose steps are as long as their gradients.
std::vector<const MethodInfo*> methods_that_take_clipped_gradients() {
  std::vector<const MethodInfo*> all;
  for (const MethodInfo& method : methods())
    if (!refuses_clipping(method) && !divides_by_roots(method) && method.name != "fed-vote")
      all.push_back(&method);
  return all;
}

template <class Scalar>
RunOutcome<Scalar> outcome_with(const std::string& method, const World& world, Plan plan,
                                std::optional<double> clip) {
  RunSettings settings = settings_of(method, world, plan);
  settings.algorithm.clip = clip;
  return simulate(prepare<Scalar>(settings, regression_problem<Scalar>(19, world.peers)), Duration{1000});
}

}  // namespace

TEST_CASE_TEMPLATE("clip: a bound that no gradient reaches changes no bit, with any method", Scalar, float,
                   double) {
  for (const MethodInfo* method : methods_that_take_clipped_gradients()) {
    CAPTURE(method->name);
    for (const std::optional<std::uint64_t> batch : {std::optional<std::uint64_t>(), {2}}) {
      const World world{"ring", 5, "lazy"};
      const auto free = outcome_with<Scalar>(method->name, world, {.batch = batch}, std::nullopt);
      const auto bounded = outcome_with<Scalar>(method->name, world, {.batch = batch}, 1e6);
      REQUIRE(free.status == RunStatus::done);
      for (PeerId id = 0; id < world.peers; ++id)
        CHECK(bounded.peers[id].model_digest == free.peers[id].model_digest);
    }
  }
}

TEST_CASE("clip: one peer alone steps no farther than eta times the bound, with any method") {
  for (const MethodInfo* method : methods_that_take_clipped_gradients()) {
    CAPTURE(method->name);
    const Plan plan{.compressor = "none", .iterations = 1, .step_size = 0.1, .options = plain_steps(*method)};
    const auto start = regression_problem<double>(19, 1).initial;
    const auto step = [&](std::optional<double> clip) {
      return (outcome_with<double>(method->name, {"ring", 1}, plan, clip).models[0] - start).norm();
    };
    REQUIRE(step(std::nullopt) > 0.02);
    CHECK(step(0.2) == doctest::Approx(0.02).epsilon(1e-12));
  }
}

TEST_CASE("clip: it bounds what several peers learn, with any method") {
  for (const MethodInfo* method : methods_that_take_clipped_gradients()) {
    CAPTURE(method->name);
    const World world{"ring", 5, "lazy"};
    // Without a compressor, whose noise moves the models of ecd-psgd farther than such small gradients do.
    const auto free = outcome_with<double>(method->name, world, {.compressor = "none"}, std::nullopt);
    const auto bounded = outcome_with<double>(method->name, world, {.compressor = "none"}, 1e-3);
    const auto start = regression_problem<double>(19, 5).initial;
    CHECK((bounded.mean_model - start).norm() < 0.1 * (free.mean_model - start).norm());
    CHECK((bounded.mean_model - start).norm() > 0.0);
  }
}

TEST_CASE("clip: methods whose correction it would break refuse it, and say why") {
  std::string names;
  for (const MethodInfo& method : methods()) {
    if (!refuses_clipping(method)) continue;
    names += method.name + " ";
    RunSettings settings = settings_of(method.name, {"ring", 3}, {});
    settings.algorithm.clip = 2.0;
    CHECK(misuse_text([&] { prepare<double>(settings, regression_problem<double>(19, 3)); }) ==
          "algorithm.clip = 2: " + method.name +
              " takes no clipped gradients: " + method.unclippable_because + "; leave it out");
  }
  CHECK(names == "choco-gossip dpsvrg ");
}

}  // namespace hearsay::test::clip_test
