#include "runtime/experiment/spectral_gap.hpp"

#include "topology/participation.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

std::shared_ptr<const Schedule> schedule_of(const RunSettings& settings, const NamedTopology& topology) {
  return with_participation(
      make_schedule(settings.topology.schedule, topology.graph, topology.mixing, settings.run.seed),
      settings.topology.participation, settings.run.seed);
}

bool has_spectral_gap(const Schedule& schedule, const MixingMatrix& mixing, const MethodInfo& method) {
  return schedule.period() == 1 && mixing.doubly_stochastic() && !method.asynchronous;
}

std::optional<double> spectral_gap_of(const RunSettings& settings, const NamedTopology& topology) {
  if (!has_spectral_gap(*schedule_of(settings, topology), topology.mixing,
                        find_method(settings.algorithm.kind)))
    return std::nullopt;
  return spectrum(topology.mixing).spectral_gap;
}

}  // namespace hearsay
