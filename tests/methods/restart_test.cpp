// The restart law (restart_law.hpp) on models of several layers, which the matrix of laws does not cover.
#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/methods/restart_law.hpp"

namespace hearsay::test::restart_test {

namespace {

/// A small mlp, which has matrices and vectors, on four peers in a ring.
template <class Scalar>
std::string violation_in_layers(const std::string& method, const Plan& plan) {
  RunSettings settings = settings_of(method, {"ring", 4}, plan);
  settings.run.evaluate_every = 2;
  settings.data.source = "synthetic(samples=64, features=6, classes=3)";
  settings.model.kind = "mlp(4)";
  const auto experiment = prepare<Scalar>(settings);
  REQUIRE(experiment.problem.objectives[0]->segments().size() > 2);
  return restart_violation(experiment);
}

}  // namespace

TEST_CASE("restart: what is kept of layers is kept") {
  std::vector<std::pair<std::string, Plan>> all = {
      {"power-gossip", {.iterations = 8, .batch = 3, .options = {{option::rank, 1}}}},
      {"power-gossip", {.iterations = 8, .batch = 3, .options = {{option::rank, 2}}}},
      {"d-psgd", {.iterations = 8, .batch = 3, .options = {{option::optimizer, "novograd"}}}},
      {"d-psgd",
       {.iterations = 8,
        .step_size = 0.02,
        .batch = 3,
        .options = {{option::optimizer, "muon"}, {option::local_steps, 2}}}},
      {"choco-sgd", {.compressor = "sign(bucket=layer)", .iterations = 8, .batch = 3}},
  };
  // Two messages an iteration whose compressors draw, are of a length of their own, or repeat themselves.
  for (const std::string method : {"beer", "c-gt"})
    for (const std::string compressor :
         {"sign(bucket=layer)", "randk(30%)", "topk(30%) | delta", "repeat(2){randk(30%)}"})
      all.push_back({method, {.compressor = compressor, .iterations = 8, .batch = 3}});
  for (const auto& [method, plan] : all) {
    const std::string name = method + " with " + plan.compressor;
    CAPTURE(name);
    CHECK(violation_in_layers<float>(method, plan) == "");
    CHECK(violation_in_layers<double>(method, plan) == "");
  }
}

}  // namespace hearsay::test::restart_test
