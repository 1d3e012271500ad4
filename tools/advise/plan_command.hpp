#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "runtime/foundation/units.hpp"
#include "runtime/settings/run_settings.hpp"
#include "tools/advise/genqsgd_plan.hpp"

namespace hearsay {

/// `hearsay advise FILE --plan gen-qsgd`.
struct PlanQuestion {
  std::optional<Duration> within;       ///< --within: T_max
  std::optional<double> error;          ///< --error: C_max; empty: from run.target_loss
  double least_loss = 0.0;              ///< --least-loss: min f, for Q
  double joules_per_core_second = 1.0;  ///< for --objective energy: of a worker that computes
  double joules_per_byte = 1e-6;        ///< and of what is sent
  gen_qsgd::Objective objective = gen_qsgd::Objective::time;
  std::function<bool()> interrupted = [] { return false; };
};

struct PlanAnswer {
  std::string text;               ///< for people
  nlohmann::ordered_json record;  ///< the same for --json
  RunSettings run;                ///< with the plan's settings; to be written as advised.toml
};

/// Measures the run, plans it for GenQSGD, and simulates it with the plan's settings. Throws Misuse if the
/// run cannot be planned for, or if no plan keeps the limits.
template <class Scalar>
PlanAnswer answer_plan(const RunSettings& yours, const PlanQuestion& question);

}  // namespace hearsay
