#include "runtime/experiment/hub_settings.hpp"

#include <memory>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/methods/parts/memory_step.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/objectives/hub_objective.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/experiment/sensible_run.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// Returns `make_compressor` of a spelling that the user wrote behind algorithm.down_compressor.
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_down_compressor(const std::string& spelling,
                                                         const SegmentTable& segments) {
  try {
    return make_compressor<Scalar>(spelling, segments);
  } catch (const Misuse& misuse) {
    const std::string sentence = misuse.what();
    const std::string key = "algorithm.compressor";
    if (!sentence.starts_with(key)) throw;
    throw Misuse("algorithm.down_compressor" + sentence.substr(key.size()));
  }
}

}  // namespace

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

template <class Scalar>
void settle_hub_options(RunSettings& settings, const Traits& up, const Problem<Scalar>& problem) {
  MethodOptions& options = settings.algorithm.options;
  if (options.has(option::memory_step))
    options.set(option::memory_step, resolved_memory_step("memory_step", options[option::memory_step], up));
  if (!options.has(option::down_compressor)) return;
  const auto compressor =
      make_down_compressor<Scalar>(options[option::down_compressor], problem.objectives.front()->segments());
  options.set(option::down_compressor, compressor->spelling());
  const Traits down = compressor->traits(static_cast<std::size_t>(problem.dimension()));
  require_fitting_frame("algorithm.down_compressor", options[option::down_compressor], down.bytes);
  if (options.has(option::down_memory_step))
    options.set(option::down_memory_step,
                resolved_memory_step("down_memory_step", options[option::down_memory_step], down));
}

#define HEARSAY_HUB_SETTINGS(Scalar)                                             \
  template void add_dedicated_hub<Scalar>(const RunSettings&, Problem<Scalar>&); \
  template void settle_hub_options<Scalar>(RunSettings&, const Traits&, const Problem<Scalar>&);
HEARSAY_HUB_SETTINGS(float)
HEARSAY_HUB_SETTINGS(double)
#undef HEARSAY_HUB_SETTINGS

}  // namespace hearsay
