#include "tests/methods/replica_law.hpp"

#include <map>

#include "runtime/foundation/digest.hpp"
#include "tests/support/cluster.hpp"

namespace hearsay::test {

namespace {

/// By owner: the iteration after which the owner's vector equals the replica of peer `holder`.
using AsOf = std::map<PeerId, std::size_t>;

template <class Scalar>
std::string replicas_differ(const Experiment<Scalar>& experiment, const Recording<Scalar>& recording,
                            PeerId holder, std::size_t t, const AsOf& as_of) {
  const auto& replicas = recording[t][holder].replicas;
  const std::string peer = "peer " + std::to_string(holder);
  const bool has_hub = experiment.method->pattern.has_hub;  // a role may keep none, the other keeps them all
  if (replicas.size() != as_of.size() && !(has_hub && replicas.empty()))
    return peer + " keeps " + std::to_string(replicas.size()) + " replicas";
  for (const auto& [owner, copy] : replicas) {
    const auto& published = recording[as_of.at(owner)][owner].published;
    if (!published || digest(copy) != digest(*published))
      return "with " + experiment.settings.algorithm.compressor + " " + peer + "'s replica of " +
             std::to_string(owner) + " differs after iteration " + std::to_string(t) +
             " from what was published in " + std::to_string(as_of.at(owner));
  }
  return "";
}

template <class Scalar>
std::string on_fixed_links(const Experiment<Scalar>& experiment, const Recording<Scalar>& recording) {
  for (PeerId holder = 0; holder < experiment.peer_count(); ++holder)
    for (std::size_t t = 0; t < recording.size(); ++t) {
      AsOf as_of;
      for (const WeightedNeighbor& neighbor : experiment.schedule->row(holder, 0).hears)
        as_of[neighbor.id] = t;
      if (const std::string differ = replicas_differ(experiment, recording, holder, t, as_of);
          !differ.empty())
        return differ;
    }
  return "";
}

/// Checks that two peers that meet in iteration t know each other's published vectors as of iteration t -
/// `before`.
template <class Scalar>
std::string at_meetings(const Experiment<Scalar>& experiment, const Recording<Scalar>& recording,
                        std::size_t before) {
  std::size_t meetings = 0;
  for (PeerId holder = 0; holder < experiment.peer_count(); ++holder) {
    AsOf as_of;
    for (const PeerId owner : partners_of(experiment, holder).sources) as_of[owner] = 0;
    for (std::size_t t = 0; t < recording.size(); ++t) {
      if (t > 0)
        for (const WeightedNeighbor& neighbor : experiment.schedule->row(holder, t - 1).hears) {
          as_of.at(neighbor.id) = t - before;
          ++meetings;
        }
      if (const std::string differ = replicas_differ(experiment, recording, holder, t, as_of);
          !differ.empty())
        return differ;
    }
  }
  return meetings > 0 ? "" : "nobody met";
}

}  // namespace

template <class Scalar>
std::string replica_violation(const Experiment<Scalar>& experiment) {
  const auto recording = record_run(experiment);
  if (experiment.peer_count() > 1 &&
      std::ranges::all_of(recording.back(),
                          [](const PeerRecord<Scalar>& peer) { return peer.replicas.empty(); }))
    return "nobody keeps a replica";
  if (experiment.schedule->period() == 1) return on_fixed_links(experiment, recording);
  // A method tells its packets either before it says the next one, or after.
  const std::string before = at_meetings(experiment, recording, 1);
  return before.empty() ? before : at_meetings(experiment, recording, 0);
}

template std::string replica_violation<float>(const Experiment<float>&);
template std::string replica_violation<double>(const Experiment<double>&);

}  // namespace hearsay::test
