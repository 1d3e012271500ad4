#pragma once

#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "algorithms/seam/method.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

/// Who computes the loss of a mean model.
enum class Asks {
  nobody,     ///< the observer: all data, or stand-ins that compute nothing, are in its process
  the_peers,  ///< each peer its own, since the data are at home; the observer sums up
};

/// Returns who is asked in a run of processes.
template <class Scalar>
Asks who_judges(const Problem<Scalar>& problem) {
  return problem.at_home ? Asks::the_peers : Asks::nobody;
}

/// The model that is evaluated and kept: that of the first of `hubs` that is there. If there is none, the
/// mean of the peers' models. Distances are those of the peers' models from it.
struct Evaluated {
  std::vector<PeerId> hubs = {};  ///< the hub; then its standby, which tells of the hub's model, too
};

/// Returns which model a run evaluates.
inline Evaluated evaluated_in(const MethodInfo& method, const RunSettings& settings) {
  Evaluated evaluated;
  if (method.pattern.has_hub) evaluated.hubs.push_back(hub_id);
  if (settings.failure.hub_standby) evaluated.hubs.push_back(*settings.failure.hub_standby);
  return evaluated;
}

}  // namespace hearsay
