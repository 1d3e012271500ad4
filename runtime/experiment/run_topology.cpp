#include "runtime/experiment/run_topology.hpp"

#include "algorithms/stability/mixing_need.hpp"
#include "algorithms/stability/outer_gossip_limit.hpp"
#include "runtime/rules/hub_rules.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/hub_rounds.hpp"
#include "topology/participation.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

std::string family_of(const RunSettings& settings) {
  if (settings.topology.kind != "auto") return settings.topology.kind;
  return find_method(settings.algorithm.kind).pattern.has_hub ? "star" : "ring";
}

NamedTopology topology_of(const RunSettings& settings, std::vector<std::string>& notes) {
  const MethodInfo& method = find_method(settings.algorithm.kind);
  TopologySettings chosen = settings.topology;
  chosen.kind = family_of(settings);
  NamedTopology topology = make_named_topology(chosen, settings.run.seed);
  for (const std::string& notice : topology.notices)
    notes.push_back("topology.file = " + settings.topology.file.string() + ": " + notice);
  const bool stays = settings.topology.schedule == "static" && settings.topology.participation == 1.0;
  if (!topology.weights_may_change || !stays) return topology;
  const MethodOptions options = resolved_options(settings.algorithm.options, method);
  if (eigenvalues_suffice(topology.mixing, method, options)) return topology;
  notes.push_back("topology.weights = auto: lazy weights, since " + method.name +
                  " needs a mixing matrix with eigenvalues " +
                  range_of_eigenvalues(smallest_eigenvalue_needed(method, options)) +
                  ", and the smallest one of metropolis weights is " +
                  three_digits(spectrum(topology.mixing).smallest) + " here");
  chosen.weights = "lazy";
  return make_named_topology(chosen, settings.run.seed);
}

std::shared_ptr<const Schedule> schedule_of(const RunSettings& settings, const NamedTopology& topology) {
  const bool has_hub = find_method(settings.algorithm.kind).pattern.has_hub;
  if (has_hub) require_star(settings, topology.graph);
  auto schedule =
      make_schedule(settings.topology.schedule, topology.graph, topology.mixing, settings.run.seed);
  const double share = settings.topology.participation;
  if (has_hub) return hub_rounds(std::move(schedule), share, settings.topology.hub, settings.run.seed);
  return with_participation(std::move(schedule), share, settings.run.seed);
}

bool has_spectral_gap(const Schedule& schedule, const MixingMatrix& mixing, const MethodInfo& method) {
  return schedule.period() == 1 && mixing.doubly_stochastic() && !method.asynchronous &&
         !method.pattern.has_hub;
}

std::optional<double> spectral_gap_of(const RunSettings& settings, const NamedTopology& topology) {
  if (!has_spectral_gap(*schedule_of(settings, topology), topology.mixing,
                        find_method(settings.algorithm.kind)))
    return std::nullopt;
  return spectrum(topology.mixing).spectral_gap;
}

}  // namespace hearsay
