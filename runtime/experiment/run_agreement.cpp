#include "runtime/experiment/run_agreement.hpp"

#include <xxhash.h>

namespace hearsay {

namespace {

/// Edges and weights of every round.
std::uint64_t topology_digest(const Schedule& schedule) {
  std::uint64_t digest = schedule.peer_count();
  for (std::uint64_t round = 0; round < schedule.period(); ++round)
    for (PeerId id = 0; id < schedule.peer_count(); ++id)
      for (const WeightedNeighbor& neighbor : schedule.row(id, round).hears) {
        const double entry[] = {static_cast<double>(id), static_cast<double>(neighbor.id), neighbor.weight};
        digest = XXH3_64bits_withSeed(entry, sizeof entry, digest);
      }
  return digest;
}

}  // namespace

template <class Scalar>
Agreement agreement_of(const Experiment<Scalar>& experiment) {
  return make_agreement(experiment.settings, static_cast<std::uint64_t>(experiment.problem.dimension()),
                        experiment.problem.data_digest, topology_digest(*experiment.schedule));
}

template Agreement agreement_of<float>(const Experiment<float>&);
template Agreement agreement_of<double>(const Experiment<double>&);

}  // namespace hearsay
