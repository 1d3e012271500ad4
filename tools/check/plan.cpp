#include "tools/check/plan.hpp"

#include "algorithms/compression/seam/near_compressor.hpp"
#include "algorithms/compression/typical_omega.hpp"
#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/stability/compressor_need.hpp"
#include "runtime/experiment/memory_need.hpp"
#include "runtime/experiment/run_topology.hpp"
#include "runtime/experiment/view_of.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/rules/transport_rules.hpp"
#include "runtime/security/credentials.hpp"
#include "tools/check/censor_limit.hpp"
#include "tools/check/step_size_limit.hpp"
#include "tools/check/tracker_limit.hpp"
#include "tools/training/first_iterations.hpp"
#include "tools/training/training.hpp"

namespace hearsay {

namespace {

/// The samples of synthetic data that gradients are taken of, for what is said about them.
constexpr Index most_drawn = 512;

}  // namespace

template <class Scalar>
Plan plan_of(const RunSettings& settings) {
  Experiment<Scalar> experiment =
      prepare<Scalar>(settings, {.only_looks = true, .most_drawn = most_drawn, .draws_later = true});
  Plan plan;
  plan.method = experiment.method;
  plan.dimension = static_cast<std::uint64_t>(experiment.problem.dimension());
  const RunSettings::Algorithm& algorithm = experiment.settings.algorithm;
  plan.traits = measured_traits(
      *make_sent_compressor<Scalar>(algorithm.compressor, algorithm.options.find(option::side_information),
                                    experiment.problem.objectives.front()->segments()),
      plan.dimension);
  plan.iterations = experiment.iterations;
  plan.peers = experiment.peer_count();
  plan.transport = transport_of(experiment.settings, experiment.topology.peers);
  plan.weights = experiment.topology.weights;
  const Graph& graph = experiment.topology.graph;
  if (plan.method->pattern.has_hub) {
    for (const PeerId peer : graph.neighbors(hub_id)) plan.groups[peer] = graph.degree(peer) - 1;
    plan.answering = answering_in(*experiment.schedule);
  }
  plan.period = experiment.schedule->period();
  if (has_spectral_gap(*experiment.schedule, experiment.topology.mixing, *experiment.method))
    plan.spectrum = spectrum(experiment.topology.mixing);
  plan.omega_limit = experiment.omega_limit;
  plan.consensus_step_limit = experiment.consensus_step_limit;
  plan.reduce_times = reduce_times(experiment.settings, experiment.problem.objectives.front()->segments());
  PacketPool packets;
  plan.catches_up = make_peer(experiment, 0, packets)->algorithm().catches_up();
  plan.gradient_table_bytes = gradient_table_bytes(view_of(experiment));
  plan.processes = process_bytes(experiment);
  plan.traffic = forecast_traffic(experiment);
  const bool is_tried = may_be_tried(experiment);
  if (is_tried)
    for (const auto& objective : experiment.problem.objectives) objective->get_ready();
  plan.dry_run = is_tried ? dry_run(experiment, plan.traffic) : untried(plan.traffic);
  if (is_tried)
    if (const auto of = peer_gradients(experiment.settings, experiment.problem))
      plan.rate_line = rate_line(experiment.settings, *of);
  plan.warnings = experiment.warnings;
  if (const auto warning = plain_text_warning(settings.security, experiment.topology))
    plan.warnings.push_back(*warning);
  for (std::string& warning :
       transport_warnings(experiment.settings, plan.transport, have_addresses(experiment.topology.peers)))
    plan.warnings.push_back(std::move(warning));
  if (is_tried)
    for (const auto& warning :
         {step_size_warning(experiment), censor_warning(experiment), tracker_warning(experiment)})
      if (warning) plan.warnings.push_back(*warning);
  if (!plan.dry_run.failure.empty())
    plan.warnings.push_back("the first iterations, tried out, end badly: " + plan.dry_run.failure);
  constexpr std::size_t bits_of_none = 8 * sizeof(Scalar);
  if (plan.traits.data_dependent_size && plan.predicted_bits_per_coordinate() >= bits_of_none)
    plan.warnings.push_back(no_shorter_than_none(experiment.settings.algorithm.compressor,
                                                 plan.predicted_bits_per_coordinate(), bits_of_none));
  plan.settings = experiment.settings;
  return plan;
}

template Plan plan_of<float>(const RunSettings&);
template Plan plan_of<double>(const RunSettings&);

}  // namespace hearsay
