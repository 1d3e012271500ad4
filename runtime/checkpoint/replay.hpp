#pragma once

#include <vector>

#include "runtime/checkpoint/packet_log.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/session/state.hpp"

namespace hearsay {

/// Replays the log of a peer. The peer was restored from a checkpoint, or is new, and is not started. A peer
/// is pure, so afterwards it equals, bit for bit, the peer that wrote the log. The messages that it sends
/// during the replay were sent before.
///
/// `known` is the state of the session at the checkpoint. `meters` are those of the checkpoint, and are
/// continued. Returns the state with which the session continues: it has everything that the neighbors and
/// the observer may not have received.
template <class Scalar>
SessionState replay(const Experiment<Scalar>& experiment, Peer<Scalar>& peer, SessionState known,
                    const std::vector<LogRecord>& log, PeerMeters& meters);

}  // namespace hearsay
