#include "runtime/experiment/experiment.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <type_traits>
#include <utility>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/methods/parts/feedback.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/model.hpp"
#include "runtime/experiment/chosen_weights.hpp"
#include "runtime/experiment/drop_policy.hpp"
#include "runtime/experiment/evaluations_by_time.hpp"
#include "runtime/experiment/fault_rules.hpp"
#include "runtime/experiment/hub_settings.hpp"
#include "runtime/experiment/hub_standby.hpp"
#include "runtime/experiment/join_later.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/experiment/round_deadline.hpp"
#include "runtime/experiment/sensible_run.hpp"
#include "runtime/experiment/soundness.hpp"
#include "runtime/experiment/spectral_gap.hpp"
#include "runtime/peer/peer.hpp"
#include "topology/coloring.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/hub_rounds.hpp"
#include "topology/participation.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

/// Returns run.iterations, or the number of iterations in run.epochs passes over the data. In an iteration
/// every peer that takes part draws local_steps minibatches. The further gradients of dpsvrg's estimators are
/// not included here; the records count them.
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

namespace {

/// Throws Misuse for a [[network.link]] between peers that never talk. It would have no effect: most likely
/// an id is wrong.
template <class Scalar>
void require_links_in_use(const Experiment<Scalar>& experiment) {
  for (const LinkOverride& link : experiment.settings.link_overrides) {
    const bool mutual = experiment.topology.mixing.mutual();
    if (mutual && experiment.topology.graph.adjacent(link.from, link.to)) continue;
    const std::vector<PeerId> receivers = partners_of(experiment, link.from).destinations;
    if (!std::binary_search(receivers.begin(), receivers.end(), link.to))
      throw Misuse("network.link", "from " + std::to_string(link.from) + " to " + std::to_string(link.to),
                   "expected two neighbors of the topology");
  }
}

// ---- resolve: what the settings leave open is filled in

/// Returns the compressor that the user named, or the method's own. Throws Misuse for a wrong spelling, and
/// for a model or a message that fits into no frame.
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> compressor_of(const RunSettings::Algorithm& algorithm,
                                                  const MethodInfo& method, const Problem<Scalar>& problem) {
  if (problem.dimension() > largest_dimension)
    throw Misuse("the problem has " + std::to_string(problem.dimension()) + " parameters; at most " +
                 std::to_string(largest_dimension) + " fit into a message");
  auto made =
      make_compressor<Scalar>(algorithm.compressor.empty() ? method.default_compressor : algorithm.compressor,
                              problem.objectives.front()->segments());
  require_fitting_frame("algorithm.compressor", made->spelling(),
                        made->traits(static_cast<std::size_t>(problem.dimension())).bytes);
  return made;
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

/// Returns the settings in which method, compressor and options are complete: aliases and "auto" replaced by
/// what they stand for.
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
  return settings;
}

/// Returns the problem with all that a run needs: the stand-in of a hub without data, and h.
template <class Scalar>
Problem<Scalar> completed(Problem<Scalar> problem, const RunSettings& settings) {
  add_dedicated_hub(settings, problem);
  if (!problem.regularizer)
    problem.regularizer = make_regularizer<Scalar>("none", problem.objectives.front()->segments());
  return problem;
}

// ---- check: what cannot work is refused, and nothing is changed

template <class Scalar>
void check_regularizer(const RunSettings& settings, const MethodInfo& method,
                       const Problem<Scalar>& problem) {
  const Regularizer<Scalar>& h = *problem.regularizer;
  if (!h.is_none() && !method.composite)
    throw Misuse("model.regularizer", h.spelling(),
                 method.name + " minimises smooth objectives only; expected one of " +
                     methods_that([](const MethodInfo& other) { return other.composite; }));
  if (!std::isfinite(h.value(problem.initial)))
    throw Misuse("model.regularizer", h.spelling(),
                 "the initial model (model.init = \"" + settings.model.init +
                     "\") lies beyond these bounds; expected bounds around it, or a model.init between them");
}

void check_checkpoints(const RunSettings& settings, const MethodInfo& method) {
  const RunSettings::Failure& failure = settings.failure;
  if (!method.asynchronous || !failure.keeps_checkpoints()) return;
  throw Misuse("failure.checkpoint_every",
               failure.checkpoint_period != Duration{0} ? to_text(failure.checkpoint_period)
                                                        : std::to_string(failure.checkpoint_every),
               method.name +
                   " is asynchronous: what a peer did depends on when messages came, and cannot be lived "
                   "through again; expected 0");
}

/// Throws Misuse for resolved settings that do not go together, or not with the problem.
template <class Scalar>
void check_settings(const RunSettings& settings, const MethodInfo& method, const Problem<Scalar>& problem,
                    const Graph& graph) {
  require_sensible_batch(settings, problem);
  if (settings.run.min_improvement > 0.0 && !settings.run.patience)
    throw Misuse("run.min_improvement", number_text(settings.run.min_improvement),
                 "only run.patience reads it, which is unset; expected both keys or neither");
  if (settings.algorithm.clip && refuses_clipping(method))
    throw Misuse(
        "algorithm.clip", number_text(*settings.algorithm.clip),
        method.name + " takes no clipped gradients: " + method.unclippable_because + "; leave it out");
  require_sensible_local_steps(settings, problem);
  require_possible_evaluation(settings, problem);
  require_droppable(settings, method);
  check_join_later(settings, method, graph);
  check_hub_standby(settings, method, graph);
  check_faults(settings, method);
  check_checkpoints(settings, method);
  check_regularizer(settings, method, problem);
}

/// Throws Misuse for an experiment that cannot work. Returns what is doubtful, and what is known of limits.
template <class Scalar>
Soundness checked(const Experiment<Scalar>& experiment, bool user_sets_consensus_step) {
  require_divisible_steps<Scalar>(experiment.settings, experiment.step_size, experiment.iterations);
  require_links_in_use(experiment);
  check_evaluations_by_time(experiment);
  std::vector<std::string> doubts = doubts_of_round_deadline(experiment);
  Soundness found = check_soundness(experiment, user_sets_consensus_step);
  found.warnings.insert(found.warnings.begin(), doubts.begin(), doubts.end());
  return found;
}

template <class Scalar>
Experiment<Scalar> assemble(const RunSettings& given, NamedTopology topology, Problem<Scalar> problem) {
  problem = completed(std::move(problem), given);
  RunSettings settings = with_method_resolved(given, problem);
  const MethodInfo& method = find_method(settings.algorithm.kind);
  check_settings(settings, method, problem, topology.graph);

  std::shared_ptr<const Schedule> schedule = schedule_of(settings, topology);
  const StepSize step_size(settings.algorithm.step_size, settings.algorithm.step_schedule,
                           settings.algorithm.warm_up);
  const std::uint64_t iterations = iteration_count(settings, method, problem, *schedule);
  Experiment<Scalar> experiment{.settings = std::move(settings),
                                .problem = std::move(problem),
                                .topology = std::move(topology),
                                .schedule = std::move(schedule),
                                .method = &method,
                                .step_size = step_size,
                                .iterations = iterations};
  if (method.asynchronous) experiment.colors = greedy_coloring(experiment.topology.graph);
  Soundness found = checked(experiment, given.algorithm.options.has(option::consensus_step));
  MethodOptions& options = experiment.settings.algorithm.options;
  if (found.consensus_step) options.set(option::consensus_step, *found.consensus_step);
  experiment.omega_limit = found.omega_limit;
  experiment.consensus_step_limit = found.consensus_step_limit;
  experiment.warnings = std::move(found.warnings);
  if (method.reads_rho && method.reads_rho(options))
    experiment.rho = spectrum(experiment.topology.mixing).rho;
  // Making a peer lets the method refuse its options before anything starts.
  PacketPool packets;
  make_peer(experiment, 0, packets);
  return experiment;
}

}  // namespace

template <class Scalar>
Experiment<Scalar> prepare(const RunSettings& settings, const Home& home) {
  std::vector<std::string> doubts;
  NamedTopology topology = topology_of(settings, doubts);
  RunSettings complete = resolved(settings, topology);
  require_sensible_hub(complete);
  Problem<Scalar> problem = problem_of<Scalar>(settings_of_workers(complete), home, doubts);
  if (home.peer && problem.at_home && complete.run.epochs && !complete.data.samples)
    throw Misuse(
        "run.epochs", number_text(*complete.run.epochs),
        "how many samples the other peers have is not known here; expected run.iterations, or data.samples "
        "with data.partition = \"home\"");
  const auto tell_programs = problem.say_end;
  try {
    auto experiment = assemble(complete, std::move(topology), std::move(problem));
    experiment.warnings.insert(experiment.warnings.end(), doubts.begin(), doubts.end());
    return experiment;
  } catch (const Misuse& misuse) {
    if (tell_programs) tell_programs(2, misuse.what(), "", {});
    throw;
  }
}

template <class Scalar>
Experiment<Scalar> prepare(const RunSettings& settings, Problem<Scalar> problem) {
  std::vector<std::string> doubts;
  NamedTopology topology = topology_of(settings, doubts);
  RunSettings complete = resolved(settings, topology);
  require_sensible_hub(complete);
  if (problem.worker_count() != complete.topology.workers())
    throw Misuse("topology.peers", std::to_string(complete.topology.peers),
                 "the problem has " + std::to_string(problem.peer_count()) +
                     " objectives, one per peer with data is needed");
  auto experiment = assemble(complete, std::move(topology), std::move(problem));
  experiment.warnings.insert(experiment.warnings.end(), doubts.begin(), doubts.end());
  return experiment;
}

template <class Scalar>
Partners partners_of(const Experiment<Scalar>& experiment, PeerId id) {
  Partners partners = experiment.method->pattern.partners(id, *experiment.schedule);
  if (experiment.settings.failure.hub_standby)
    add_partners_of_standby(*experiment.settings.failure.hub_standby, id, experiment.peer_count(), partners);
  return partners;
}

template <class Scalar>
std::optional<std::uint64_t> lead_by_messages(const Experiment<Scalar>& experiment) {
  const bool all_speak = experiment.schedule->period() == 1 && experiment.topology.weights != "one-way";
  return experiment.method->pattern.lead(experiment.topology.graph, all_speak,
                                         staleness_of(experiment.settings));
}

template <class Scalar>
std::uint64_t largest_lead(const Experiment<Scalar>& experiment) {
  const std::uint64_t by_verdicts = experiment.settings.run.evaluates_by_time()
                                        ? experiment.iterations
                                        : 2 * experiment.settings.run.evaluate_every;
  if (experiment.settings.topology.rounds_close()) return by_verdicts;
  return std::min(by_verdicts, lead_by_messages(experiment).value_or(by_verdicts));
}

#define HEARSAY_EXPERIMENT(Scalar)                                                           \
  template Experiment<Scalar> prepare<Scalar>(const RunSettings&, const Home&);              \
  template Experiment<Scalar> prepare<Scalar>(const RunSettings&, Problem<Scalar>);          \
  template Partners partners_of<Scalar>(const Experiment<Scalar>&, PeerId);                  \
  template std::optional<std::uint64_t> lead_by_messages<Scalar>(const Experiment<Scalar>&); \
  template std::uint64_t largest_lead<Scalar>(const Experiment<Scalar>&);
HEARSAY_EXPERIMENT(float)
HEARSAY_EXPERIMENT(double)
#undef HEARSAY_EXPERIMENT

}  // namespace hearsay
