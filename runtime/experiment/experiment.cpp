#include "runtime/experiment/experiment.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/model.hpp"
#include "runtime/data/problem_builder.hpp"
#include "runtime/experiment/make_method.hpp"
#include "runtime/experiment/memory_need.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/experiment/resolve.hpp"
#include "runtime/experiment/run_topology.hpp"
#include "runtime/experiment/standby_partners.hpp"
#include "runtime/experiment/view_of.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/rules/hub_rules.hpp"
#include "runtime/rules/sensible_run.hpp"
#include "runtime/rules/soundness.hpp"
#include "runtime/rules/transport_rules.hpp"
#include "topology/coloring.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

/// Returns the problem with all that a run needs: the stand-in of a hub without data, and h.
template <class Scalar>
Problem<Scalar> completed(Problem<Scalar> problem, const RunSettings& settings) {
  add_dedicated_hub(settings, problem);
  if (!problem.regularizer)
    problem.regularizer = make_regularizer<Scalar>("none", problem.objectives.front()->segments());
  return problem;
}

Partners all_others(PeerId id, PeerId peer_count) {
  std::vector<PeerId> others;
  for (PeerId other = 0; other < peer_count; ++other)
    if (other != id) others.push_back(other);
  return {others, others};
}

/// True if a peer sends to another one, by any way of algorithm.reduce if the method reads it: which way is
/// the quickest depends on the links that the user describes.
template <class Scalar>
bool may_send(const Experiment<Scalar>& experiment, PeerId from, PeerId to) {
  const auto is_among = [to](const Partners& partners) {
    return std::ranges::binary_search(partners.destinations, to);
  };
  return is_among(partners_of(experiment, from)) ||
         (experiment.method->summed && (is_among(Pattern::ring.partners(from, *experiment.schedule)) ||
                                        is_among(Pattern::doubling.partners(from, *experiment.schedule))));
}

/// How far a peer can be ahead of any other if the graph of the run is `graph`; nothing if no message says.
template <class Scalar>
std::optional<std::uint64_t> lead_in(const Experiment<Scalar>& experiment, const Graph& graph) {
  const bool all_speak = experiment.schedule->period() == 1 && experiment.topology.weights != "one-way";
  return pattern_of(experiment).lead(graph, all_speak, staleness_of(experiment.settings));
}

/// True if messages bound how far ahead a peer can be. No graph decides that, so none is searched: the
/// diameter of one with many peers takes seconds.
template <class Scalar>
bool is_led_by_messages(const Experiment<Scalar>& experiment) {
  return lead_in(experiment, Graph(1, {})).has_value();
}

/// Throws Misuse for an experiment that cannot work. Returns what is doubtful, and what is known of limits.
template <class Scalar>
Soundness checked(const Experiment<Scalar>& experiment, bool user_sets_consensus_step) {
  const RunSettings& settings = experiment.settings;
  const NamedTopology& topology = experiment.topology;
  require_fitting_transport(settings, topology.peers);
  require_divisible_steps<Scalar>(settings, experiment.step_size, experiment.iterations);
  require_links_in_use(settings, topology.graph, topology.mixing,
                       [&](PeerId from, PeerId to) { return may_send(experiment, from, to); });
  require_known_evaluations(settings, *experiment.method, is_led_by_messages(experiment));
  return check_soundness<Scalar>(settings, topology.graph, view_of(experiment), user_sets_consensus_step);
}

/// Lets the method refuse its options before anything starts. The vectors of a large model would be memory
/// for nothing, which the process of `hearsay run` has at no other time: then of a smaller one, if the method
/// takes that.
template <class Scalar>
void try_method(const Experiment<Scalar>& experiment) {
  constexpr Index side = 256;
  constexpr Index large = side * side;
  try {
    if (experiment.problem.dimension() > large) {
      const Vector<Scalar> initial = Vector<Scalar>::Zero(large);
      make_method<Scalar>(experiment, 0, initial, mixing_partners(experiment, 0),
                          {{"parameters", 0, side, side}});
      return;
    }
  } catch (const std::exception&) {  // a method of a user may throw anything of a model that is not its own
  }
  PacketPool packets;
  make_peer(experiment, 0, packets);
}

template <class Scalar>
Experiment<Scalar> assemble(const RunSettings& given, NamedTopology topology, Problem<Scalar> problem,
                            const HeldPeers& held) {
  problem = completed(std::move(problem), given);
  RunSettings settings = with_method_resolved(given, problem);
  const MethodInfo& method = find_method(settings.algorithm.kind);
  require_sensible_run(settings, method, problem, topology.graph);

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
  require_memory(experiment, held);
  try_method(experiment);
  return experiment;
}

}  // namespace

template <class Scalar>
Experiment<Scalar> prepare(const RunSettings& settings, const Home& home) {
  require_memory_of_many<Scalar>(settings, home);
  std::vector<std::string> doubts;
  NamedTopology topology = topology_of(settings, doubts);
  RunSettings complete = resolved(settings, topology);
  require_sensible_hub(complete);
  // Objectives are drawn once it is known that they fit.
  const HeldPeers held = held_peers(topology, home);
  Home at_first = home;
  at_first.draws_later = true;
  at_first.peers_here = held.ids.size();
  Problem<Scalar> problem = problem_of<Scalar>(settings_of_workers(complete), at_first, doubts);
  if (home.peer && problem.at_home && complete.run.epochs && !complete.data.samples)
    throw Misuse(
        "run.epochs", number_text(*complete.run.epochs),
        "how many samples the other peers have is not known here; expected run.iterations, or data.samples "
        "with data.partition = \"home\"");
  const auto tell_programs = problem.say_end;
  try {
    auto experiment = assemble(complete, std::move(topology), std::move(problem), held);
    experiment.warnings.insert(experiment.warnings.end(), doubts.begin(), doubts.end());
    if (!home.draws_later && !learns_from_samples(complete))
      experiment.problem =
          completed(problem_of<Scalar>(settings_of_workers(complete), home, doubts), complete);
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
  auto experiment = assemble(complete, std::move(topology), std::move(problem), {{0}, true});
  experiment.warnings.insert(experiment.warnings.end(), doubts.begin(), doubts.end());
  return experiment;
}

template <class Scalar>
Partners partners_of(const Experiment<Scalar>& experiment, PeerId id) {
  if (members_agree(experiment)) return all_others(id, experiment.peer_count());
  Partners partners = pattern_of(experiment).partners(id, *experiment.schedule);
  if (experiment.settings.failure.hub_standby)
    add_partners_of_standby(*experiment.settings.failure.hub_standby, id, experiment.peer_count(), partners);
  return partners;
}

template <class Scalar>
std::optional<std::uint64_t> lead_by_messages(const Experiment<Scalar>& experiment) {
  return lead_in(experiment, experiment.topology.graph);
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
