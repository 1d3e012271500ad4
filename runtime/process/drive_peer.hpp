#pragma once

#include <memory>
#include <string>

#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/process/peer_opening.hpp"

namespace hearsay {

/// Where a peer of the run listens, by id.
using Addresses = std::vector<std::string>;

/// How a peer's part in a run ended: 0 when the run took its course, 2 or 3 with `reason` when this peer could take no
/// part or lost a neighbor, 130 when it was interrupted.
struct PeerEnd {
  int exit_code = 0;
  std::string reason;
};

/// Connects and trains: drives peer `id` to the end of the run, in this thread. A neighbor that is silent for longer than
/// failure.lost_after is lost, and the run with it.
template <class Scalar>
PeerEnd drive_peer(const Experiment<Scalar>& experiment, PeerId id, PeerSockets& sockets,
                   const Addresses& addresses, const std::string& observer_address,
                   const RunControl& control = {});

}  // namespace hearsay
