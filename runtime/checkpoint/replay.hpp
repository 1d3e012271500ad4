#pragma once

#include <vector>

#include "runtime/checkpoint/packet_log.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/session/state.hpp"

namespace hearsay {

/// Hands a peer all that its log holds. The peer was restored from a checkpoint, or made anew, and is not
/// started. Since a peer is pure, it is afterwards what it was when the log ended, to the last bit. What it
/// sends meanwhile it has sent before. The returned state, which the session continues with, holds what its
/// neighbors and the observer may not have received. `known` is what the session knew at the checkpoint;
/// `meters` are those of the checkpoint, and are continued.
template <class Scalar>
SessionState replay(const Experiment<Scalar>& experiment, Peer<Scalar>& peer, SessionState known,
                    const std::vector<Heard>& log, PeerMeters& meters);

}  // namespace hearsay
