#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tools/check/plan.hpp"

namespace hearsay::default_runs_test {

namespace {

/// An empty run file, but for the method.
RunSettings default_run(const MethodInfo& method) {
  return parse_run("algorithm.kind = \"" + method.name + "\"\nnetwork.compute = \"20 ms\"\n");
}

/// Returns the losses of the first 20 iterations, every ten.
std::vector<double> first_losses(Experiment<float> experiment) {
  experiment.iterations = 20;
  std::vector<double> losses;
  RunControl control;
  control.on_evaluation = [&](const Evaluation& evaluation) { losses.push_back(evaluation.loss); };
  simulate(experiment, std::chrono::milliseconds(20), control);
  return losses;
}

/// True if a warning is of no default: weights that the method needs were chosen, or it is there to fail.
bool is_no_doubt(const std::string& warning) {
  return warning.starts_with("topology.weights = auto: ") ||
         warning.find("a negative control") != std::string::npos;
}

}  // namespace

TEST_CASE("defaults: check warns of no method with its own defaults, and the loss falls from the start") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    if (!method.trains) continue;
    for (const std::string& warning : plan_of<float>(default_run(method)).warnings)
      CHECK_MESSAGE(is_no_doubt(warning), warning);
    const std::vector<double> losses = first_losses(prepare<float>(default_run(method)));
    REQUIRE(losses.size() == 3);
    CHECK(losses[1] < losses[0]);
    CHECK(losses[2] < losses[1]);
  }
}

TEST_CASE("defaults: a method's step size and batch are those of a run file that names neither") {
  const auto parsed = [](const std::string& toml) { return parse_run(toml).algorithm; };
  CHECK(parsed("").step_size == 0.1);
  CHECK(parsed("algorithm.kind = \"cd-adam\"").step_size == find_method("cd-adam").default_step_size);
  CHECK(parsed("algorithm.kind = \"cd-adam\"\nalgorithm.step_size = 0.1").step_size == 0.1);
  CHECK(parse_run("", ".", {"algorithm.kind=comp-ams"}).algorithm.step_size < 0.01);
  CHECK(parsed("algorithm.kind = \"chb\"").batch == std::nullopt);
  CHECK(parsed("algorithm.kind = \"chb\"\nalgorithm.batch = 32").batch == 32);
}

}  // namespace hearsay::default_runs_test
