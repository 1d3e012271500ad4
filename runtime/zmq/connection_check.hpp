#pragma once

#include <vector>

#include "runtime/session/probe_verdict.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/cluster/placement.hpp"

namespace hearsay {

/// Tests the connections that peer `id` has in a run, both ways: binds as the run would (keys included), calls every
/// neighbor and the observer, and waits to be called. All peers do so, in any order. A few small frames an edge, one after
/// the other. Ends when every edge has its verdict, or after `patience`; neighbors first, the observer last. Misuse as in
/// run_cluster_peer.
template <class Scalar>
std::vector<CheckedEdge> check_connections(const Experiment<Scalar>& experiment, PeerId id,
                                           const PeerPlace& place, Duration patience);

}  // namespace hearsay
