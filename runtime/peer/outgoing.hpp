#pragma once

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/peer/inbox.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// A message that a peer wants sent. Frames leave in the order in which they stand in the outbox.
struct Outgoing {
  PeerId to;
  MessageKey key;
  PacketRef packet;
  MessageMarks marks = {};
};

/// The slot of what the ends of an edge tell each other when it comes back: what each has published, in full
/// precision. It is the first message of the iteration from which on the edge is in.
inline constexpr Slot attach_slot = 0xffff'fffd;

}  // namespace hearsay
