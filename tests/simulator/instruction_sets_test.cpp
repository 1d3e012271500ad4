// One machine has AVX-512, another AVX2: digests across machines must agree.
#include <doctest/doctest.h>

#include <optional>

#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/registry.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::instruction_sets_test {

namespace {

/// Samples that every model takes: LeNet wants images, logistic two classes.
constexpr const char* samples = "synthetic(samples=64, features=784, classes=2)";

RunOutcome<float> run(const std::string& method, const std::string& model, const std::string& data) {
  return simulate(experiment_from<float>("run.iterations = 12\nrun.evaluate_every = 4\n"
                                         "data.source = \"" +
                                         data +
                                         "\"\n"
                                         "model.kind = \"" +
                                         model + "\"\ntopology = { kind = \"" +
                                         (find_method(method).pattern.has_hub ? "star" : "ring") +
                                         "\", peers = 4 }\nalgorithm = { kind = \"" + method +
                                         "\", batch = 7, step_size = 0.01, allow_unsound = true }\n"),
                  Duration{1000});
}

void check_same(const RunOutcome<float>& a, const RunOutcome<float>& b) {
  CHECK(a.mean_model == b.mean_model);
  for (std::size_t id = 0; id < a.peers.size(); ++id)
    CHECK(a.peers[id].model_digest == b.peers[id].model_digest);
  REQUIRE(a.evaluations.size() == b.evaluations.size());
  for (std::size_t k = 0; k < a.evaluations.size(); ++k)
    CHECK(a.evaluations[k].loss == b.evaluations[k].loss);
}

/// Returns on how many instruction sets the run was the same.
int same_on(const std::string& method, const std::string& model, const std::string& data) {
  CAPTURE(method);
  CAPTURE(model);
  std::optional<RunOutcome<float>> first;
  return test::on_every_target([&] {
    RunOutcome<float> outcome = run(method, model, data);
    CHECK(outcome.mean_model.allFinite());
    if (!first)
      first = std::move(outcome);
    else
      check_same(outcome, *first);
  });
}

}  // namespace

TEST_CASE("instruction sets: every method ends with the same digests and losses on each") {
  for (const MethodInfo& method : methods())
    CHECK(same_on(method.name, "mlp(9)", "synthetic(samples=96, features=37, classes=5)") >= 2);
}

TEST_CASE("instruction sets: every model ends with the same digests and losses on each") {
  for (const ModelInfo& model : models())
    for (const std::string& spelling : model.examples) CHECK(same_on("dcd-psgd", spelling, samples) >= 2);
}

}  // namespace hearsay::instruction_sets_test
