#include "runtime/experiment/chosen_weights.hpp"

#include "algorithms/methods/registry.hpp"
#include "algorithms/stability/mixing_need.hpp"
#include "algorithms/stability/outer_gossip_limit.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

NamedTopology topology_of(const RunSettings& settings, std::vector<std::string>& notes) {
  const MethodInfo& method = find_method(settings.algorithm.kind);
  TopologySettings chosen = settings.topology;
  if (chosen.kind == "auto" && method.pattern.has_hub) chosen.kind = "star";
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

}  // namespace hearsay
