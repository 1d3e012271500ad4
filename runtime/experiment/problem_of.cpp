#include "runtime/experiment/problem_of.hpp"

#include <memory>
#include <utility>
#include <variant>

#include "algorithms/objectives/hub_objective.hpp"
#include "algorithms/objectives/registry.hpp"
#include "runtime/data/problem_builder.hpp"
#include "runtime/program/program_problem.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

bool has_programs(const RunSettings& settings) {
  return std::holds_alternative<ProgramModel>(parse_model(settings.model.kind).info->make);
}

template <class Scalar>
Problem<Scalar> problem_of(const RunSettings& settings, const Home& home, std::vector<std::string>& doubts) {
  if (has_programs(settings)) return program_problem<Scalar>(settings, home, doubts);
  if (!settings.model.program.empty())
    throw Misuse("model.program", toml_list(settings.model.program),
                 "model.kind = " + toml_text(settings.model.kind) +
                     " runs no program; expected model.kind = \"program\", or no model.program");
  return build_problem<Scalar>(settings, home);
}

RunSettings settings_of_workers(RunSettings settings) {
  if (!has_programs(settings)) settings.topology.peers = settings.topology.workers();
  return settings;
}

template <class Scalar>
void add_dedicated_hub(const RunSettings& settings, Problem<Scalar>& problem) {
  if (settings.topology.hub == HubData::its_own || !problem.objectives.front()->has_data()) return;
  auto hub = std::make_unique<HubObjective<Scalar>>(problem.objectives.front()->segments());
  problem.objectives.insert(problem.objectives.begin(), std::move(hub));
}

#define HEARSAY_PROBLEM_OF(Scalar)                                                                         \
  template Problem<Scalar> problem_of<Scalar>(const RunSettings&, const Home&, std::vector<std::string>&); \
  template void add_dedicated_hub<Scalar>(const RunSettings&, Problem<Scalar>&);
HEARSAY_PROBLEM_OF(float)
HEARSAY_PROBLEM_OF(double)
#undef HEARSAY_PROBLEM_OF

}  // namespace hearsay
