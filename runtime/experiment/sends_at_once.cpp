#include "runtime/experiment/sends_at_once.hpp"

#include <algorithm>
#include <cstdint>

#include "algorithms/seam/peer_rows.hpp"

namespace hearsay {

template <class Scalar>
std::size_t sends_at_once(const Experiment<Scalar>& experiment, PeerId id) {
  constexpr std::size_t one = 1;
  const MethodInfo& method = *experiment.method;
  if (method.asynchronous) return one;
  if (method.pattern.has_hub) return std::max(one, partners_of(experiment, id).destinations.size());
  if (!method.pattern.uses_graph) return one;
  constexpr std::uint64_t most_rounds = 64;
  const PeerRows rows(*experiment.schedule, id);
  const std::uint64_t rounds = std::min(rows.period().value_or(most_rounds), most_rounds);
  std::size_t most = one;
  for (std::uint64_t round = 0; round < rounds; ++round)
    most = std::max(most, rows.at(round).heard_by.size());
  return most;
}

template std::size_t sends_at_once<float>(const Experiment<float>&, PeerId);
template std::size_t sends_at_once<double>(const Experiment<double>&, PeerId);

}  // namespace hearsay
