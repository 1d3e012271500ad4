#pragma once

#include <functional>
#include <vector>

#include "runtime/cluster/placement.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/notice.hpp"
#include "runtime/session/probe_verdict.hpp"

namespace hearsay {

/// Tests the connections that peer `id` has in a run, in both directions. Returns a verdict for every edge,
/// neighbors first and the observer last, at the latest soon after `patience`.
///
/// The peer binds its address as in a run (keys included), sends probes to every neighbor and to the
/// observer, and waits for their probes. A few small frames cross every edge, one after the other. All peers
/// must run the check at the same time; they may start in any order. `on_listening` is called once this peer
/// listens: no address was in use. Misuse as in run_hosts_peer.
template <class Scalar>
std::vector<CheckedEdge> check_connections(const Experiment<Scalar>& experiment, PeerId id,
                                           const Placement& place, Duration patience,
                                           const std::function<void()>& on_listening, const Notice& notice);

}  // namespace hearsay
