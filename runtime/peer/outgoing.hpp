#pragma once

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/peer/inbox.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// A message that a peer wants sent. The driver sends the outbox in order.
struct Outgoing {
  PeerId to;
  MessageKey key;
  PacketRef packet;
  MessageMetadata metadata = {};
};

/// The slot of an attachment: what the sender has published, in full precision. The two ends of an edge that
/// comes back exchange attachments, as the first messages of the iteration from which on the edge is in.
inline constexpr Slot attach_slot = 0xffff'fffd;

}  // namespace hearsay
