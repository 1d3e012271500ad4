#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "algorithms/methods/own_methods.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tools/examples/layer_parallel/layer_parallel.hpp"
#include "tools/examples/layer_parallel/spirals.hpp"
#include "tools/examples/layer_parallel/stage_objective.hpp"

namespace hearsay::layer_parallel::test {

inline const Shape shape = {.features = 2, .width = 5, .blocks = 6, .classes = 2, .step = 0.4};
inline constexpr Index sample_count = 24;
inline const std::string penalty = "layer-parallel-penalty";
inline const std::string lagrangian = "layer-parallel-lagrangian";

/// Makes the methods of the example known, once in this program.
inline void know_the_methods() {
  if (method_named(lagrangian)) return;
  add_method(layer_parallel_penalty_info());
  add_method(layer_parallel_lagrangian_info());
}

/// What is said of a run of the example, beside its method.
struct Plan {
  PeerId stages = 3;
  std::uint64_t iterations = 10;
  std::uint64_t evaluate_every = 10;
  std::string step_size = "0.2";
  std::string more = {};  ///< of [algorithm]
};

template <class Scalar>
std::shared_ptr<const Samples<Scalar>> samples() {
  return std::make_shared<Samples<Scalar>>(two_spirals<Scalar>(sample_count, 0.03, 7));
}

template <class Scalar>
Experiment<Scalar> experiment_of(const std::string& method, const Plan& plan,
                                 const std::string& topology = "path") {
  know_the_methods();
  const auto settings =
      parse_run("topology = { kind = \"" + topology + "\", peers = " + std::to_string(plan.stages) + " }\n" +
                "run = { iterations = " + std::to_string(plan.iterations) +
                ", evaluate_every = " + std::to_string(plan.evaluate_every) + ", keep_models = \"every " +
                std::to_string(plan.evaluate_every) + "\" }\n" + "algorithm = { kind = \"" + method +
                "\", batch = \"full\", step_size = " + plan.step_size + (plan.more.empty() ? "" : ", ") +
                plan.more + " }\n");
  const auto stages = std::make_shared<Stages>(shape, plan.stages, sample_count);
  return prepare(settings, staged_problem<Scalar>(stages, samples<Scalar>(), samples<Scalar>(), false, 1));
}

}  // namespace hearsay::layer_parallel::test
