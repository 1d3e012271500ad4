#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/peer/joining.hpp"

namespace hearsay {

// What a peer hears from its neighbors and the observer, once the wire's part of it is done with.

struct DataArrived {
  MessageKey key;
  PacketRef packet;
  MessageMarks marks = {};
};
/// To a peer that goes on: from which of its checkpoints; nothing: from the newest and its log, since
/// the others are under way.
struct ResumeFrom {
  std::optional<std::uint64_t> iteration;
};
struct RunStarts {
  Instant origin;
};
struct VerdictArrived {
  std::uint64_t evaluated;
  bool go_on;
  std::uint64_t checkpoint_every = 0;  ///< unless 0: checkpoint_period.hpp
};
/// The run ends early; `exit_code` and `reason` where something went wrong somewhere.
struct RunStops {
  int exit_code;
  std::string reason;
};
/// With the exit code of the run: 0, 4 (diverged) or 130 (interrupted).
struct EveryPeerEnded {
  int exit_code;
};
/// Policy "drop": that peer is gone, or takes this one for gone.
struct PeerDeparted {
  PeerId id;
  std::string how;  ///< "it was started anew"
};
/// A neighbor from which this peer has parted answers again, and waits for an offer (Peer::offer).
struct NeighborReturned {
  PeerId id;
};
/// It offers that the edge be in again from this iteration on, or later.
struct AttachmentOffered {
  PeerId id;
  std::uint64_t iteration;
};
/// It has taken the offer: the edge is in from this iteration on; nothing: it has ended.
struct OfferAnswered {
  PeerId id;
  std::optional<std::uint64_t> iteration;
};
/// A neighbor that the run has gone on without asks for this peer's model.
struct ModelAsked {
  PeerId by;
};
/// The answer: this peer, which has not begun, may join the run there.
struct ModelArrived {
  PeerId from;
  EntryPoint entry;
  std::vector<std::byte> model;
};
/// The run has not begun here yet, and for whom it waits: "peer 2 (tcp://10.0.0.2:7000) to come up".
/// Every ten seconds.
struct StillWaits {
  std::string whom;
  Duration so_far;
};
/// This peer cannot take part: exit code and a sentence.
struct TakesNoPart {
  int exit_code;
  std::string reason;
};
using SocketEvent = std::variant<DataArrived, ResumeFrom, RunStarts, VerdictArrived, RunStops, EveryPeerEnded,
                                 PeerDeparted, NeighborReturned, AttachmentOffered, OfferAnswered, ModelAsked,
                                 ModelArrived, StillWaits, TakesNoPart>;

}  // namespace hearsay
