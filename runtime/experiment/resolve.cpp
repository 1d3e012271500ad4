#include "runtime/experiment/resolve.hpp"

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/methods/parts/feedback.hpp"
#include "algorithms/methods/parts/memory_step.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/model.hpp"
#include "runtime/experiment/quickest_reduce.hpp"
#include "runtime/rules/sensible_run.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

/// Returns the links' own latencies and bandwidths, by (from, to). The run's values override the topology
/// file's, key by key.
std::vector<LinkOverride> merged(const std::vector<LinkOverride>& of_file,
                                 const std::vector<LinkOverride>& of_run) {
  std::map<std::pair<PeerId, PeerId>, LinkOverride> links;
  for (const auto* source : {&of_file, &of_run})
    for (const LinkOverride& own : *source) {
      LinkOverride& link = links.try_emplace({own.from, own.to}, own).first->second;
      if (own.latency) link.latency = own.latency;
      if (own.bandwidth) link.bandwidth = own.bandwidth;
    }
  std::vector<LinkOverride> result;
  for (const auto& [ends, link] : links) result.push_back(link);
  return result;
}

/// Returns the compressor that the user named, or the method's own. Throws Misuse for a wrong spelling, and
/// for a model that has too many parameters.
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> compressor_of(const RunSettings::Algorithm& algorithm,
                                                  const MethodInfo& method, const Problem<Scalar>& problem) {
  if (problem.dimension() > largest_dimension)
    throw Misuse("the problem has " + std::to_string(problem.dimension()) + " parameters; at most " +
                 std::to_string(largest_dimension) + " are possible");
  return make_compressor<Scalar>(
      algorithm.compressor.empty() ? method.default_compressor : algorithm.compressor,
      problem.objectives.front()->segments());
}

/// Returns the options with the method's defaults. Throws Misuse for those that it does not read.
MethodOptions complete_options(const MethodOptions& set, const MethodInfo& method) {
  if (lists_worker_steps(set) && set.has(option::local_steps))
    throw Misuse("algorithm.local_steps", set.text(option::local_steps),
                 "algorithm.worker_steps says how many each peer takes; expected one of the two keys");
  MethodOptions options = resolved_options(set, method);
  if (lists_worker_steps(options)) options.clear(option::local_steps);
  return options;
}

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
  if (options.has(option::down_memory_step))
    options.set(option::down_memory_step,
                resolved_memory_step("down_memory_step", options[option::down_memory_step], down));
}

}  // namespace

RunSettings resolved(RunSettings settings, const NamedTopology& topology) {
  settings.topology.peers = topology.mixing.peer_count();
  if (settings.topology.file.empty()) {
    settings.topology.kind = topology.family;
    settings.topology.weights = topology.weights;
  }
  settings.link_overrides = merged(topology.links, settings.link_overrides);
  return settings;
}

template <class Scalar>
RunSettings with_method_resolved(RunSettings settings, const Problem<Scalar>& problem) {
  settings.run.scalar = std::is_same_v<Scalar, float> ? ScalarKind::float32 : ScalarKind::float64;
  RunSettings::Algorithm& algorithm = settings.algorithm;
  const MethodInfo& method = find_method(algorithm.kind);
  algorithm.kind = method.name;
  const auto compressor = compressor_of(algorithm, method, problem);
  algorithm.compressor = compressor->spelling();
  algorithm.options = complete_options(algorithm.options, method);
  const Traits traits = compressor->traits(static_cast<std::size_t>(problem.dimension()));
  if (MethodOptions& options = algorithm.options; options.has(option::feedback))
    options.set(option::feedback, resolved_feedback(options[option::feedback], traits));
  settle_hub_options(settings, traits, problem);
  if (const auto way = chosen_reduce(algorithm.options, settings, problem.objectives.front()->segments()))
    algorithm.options.set(option::reduce, *way);
  return settings;
}

template <class Scalar>
std::uint64_t iteration_count(const RunSettings& settings, const MethodInfo& method,
                              const Problem<Scalar>& problem, const Schedule& schedule) {
  if (!settings.run.epochs) return settings.run.iterations;
  if (!method.trains)
    throw Misuse("run.epochs", number_text(*settings.run.epochs),
                 method.name + " averages, and passes over no data; expected run.iterations");
  const MethodOptions& options = settings.algorithm.options;
  const double steps = mean_local_steps(options, settings.topology.workers()) *
                       static_cast<double>(options.find(option::rounds).value_or(1));
  const double share = method.pattern.has_hub
                           ? static_cast<double>(answering_in(schedule)) / settings.topology.workers()
                           : settings.topology.participation;
  double iterations_per_epoch = 1.0 / (steps * share);
  if (settings.algorithm.batch) {
    const double samples = settings.data.samples ? static_cast<double>(*settings.data.samples)
                                                 : static_cast<double>(problem.sample_count());
    iterations_per_epoch *= samples / (static_cast<double>(*settings.algorithm.batch) *
                                       static_cast<double>(problem.worker_count()));
  }
  const double iterations = std::ceil(*settings.run.epochs * iterations_per_epoch);
  constexpr double most_iterations = 1e15;
  if (iterations > most_iterations)
    throw Misuse("run.epochs", number_text(*settings.run.epochs),
                 "that is more than 10^15 iterations; nobody waits so long");
  return static_cast<std::uint64_t>(iterations);
}

#define HEARSAY_RESOLVE(Scalar)                                                           \
  template RunSettings with_method_resolved<Scalar>(RunSettings, const Problem<Scalar>&); \
  template std::uint64_t iteration_count<Scalar>(const RunSettings&, const MethodInfo&,   \
                                                 const Problem<Scalar>&, const Schedule&);
HEARSAY_RESOLVE(float)
HEARSAY_RESOLVE(double)
#undef HEARSAY_RESOLVE

}  // namespace hearsay
