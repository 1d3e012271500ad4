#pragma once

#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/checkpoint/packet_log.hpp"
#include "runtime/session/state.hpp"

namespace hearsay {

/// Lets a peer live through its log: one that was restored from a checkpoint, or made anew, and is not started. Since it is
/// pure, it is then what it was when the log ends, to the last bit. What it says meanwhile it has said before; what of it its
/// neighbors and the observer may not have heard is in the state that is returned, for the session to go on from.
/// `known` is what the session knew at the checkpoint; `meters` are those of the checkpoint, and counted on.
template <class Scalar>
SessionState replay(const Experiment<Scalar>& experiment, Peer<Scalar>& peer, SessionState known,
                    const std::vector<Heard>& log, PeerMeters& meters);

}  // namespace hearsay
