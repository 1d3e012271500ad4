#include "runtime/experiment/spectral_gap.hpp"

#include "runtime/experiment/hub_soundness.hpp"
#include "topology/hub_rounds.hpp"
#include "topology/participation.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

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
