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
struct HostsPatience {
  Duration start = std::chrono::minutes(2);
};

template <class Scalar>
struct HostsPeerEnd {
  PeerEnd end;
  std::optional<RunOutcome<Scalar>> outcome;  ///< at peer 0, which runs the observer; empty elsewhere
};

/// Trains as peer `id` of a run whose topology file, or `place`, gives every peer an address. The observer is
/// one port below peer 0, unless one of the two gives its address. Peers may be started in any order, on any
/// hosts, without a coordinator. Peer 0 runs the observer in a thread of its own. Hosts have no common clock:
/// a frame says how long the receiver has to hold it, and the real latency comes on top. Throws Misuse if
/// `id` is not in the topology, an address is missing or cannot be had, or some peer's input is wrong.
template <class Scalar>
HostsPeerEnd<Scalar> run_hosts_peer(const Experiment<Scalar>& experiment, PeerId id,
                                    const HostsPatience& patience = {}, const RunControl& control = {},
                                    const Placement& place = {});

/// Called at peer 0 instead of run_hosts_peer, if peer 0 cannot take part: tells every peer that calls the
/// reason `why`, for as long as the peers may take to come up. Throws no Misuse: if it cannot listen, it
/// returns.
template <class Scalar>
void turn_peers_away(const Experiment<Scalar>& experiment, const HostsPatience& patience,
                     const RunControl& control, const Placement& place, const std::string& why);

}  // namespace hearsay
