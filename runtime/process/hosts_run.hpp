#pragma once

#include <optional>
#include <string>

#include "runtime/cluster/placement.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/process/drive_peer.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"

namespace hearsay {

/// How long a peer of a run that spans hosts waits for the others to come up.
struct ClusterPatience {
  Duration start = std::chrono::minutes(2);
};

template <class Scalar>
struct ClusterPeerEnd {
  PeerEnd end;
  std::optional<RunOutcome<Scalar>> outcome;  ///< at peer 0, where the observer is
};

/// Trains as peer `id` of a run whose topology file, or `place`, gives every peer an address. The
/// observer is one port below peer 0 unless either says where. Peers may be started in any order, on any
/// hosts; nobody coordinates them. Peer 0 runs the observer in a thread of its own. There is no common
/// clock between hosts: a frame carries how long the receiver has to hold it, and the real latency adds.
/// Throws Misuse where an address is missing or cannot be had, and where the peers cannot train together
/// because the input of one of them is wrong.
template <class Scalar>
ClusterPeerEnd<Scalar> run_cluster_peer(const Experiment<Scalar>& experiment, PeerId id,
                                        const ClusterPatience& patience = {}, const RunControl& control = {},
                                        const PeerPlace& place = {});

/// Instead of that, at peer 0, which cannot take part: tells all others, as they call and for as long as
/// they may take to come up. Throws nothing where it cannot listen.
template <class Scalar>
void turn_peers_away(const Experiment<Scalar>& experiment, const ClusterPatience& patience,
                     const RunControl& control, const PeerPlace& place, const std::string& why);

}  // namespace hearsay
