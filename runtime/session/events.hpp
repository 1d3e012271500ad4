#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/foundation/announced.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/peer/joining.hpp"

namespace hearsay {

// What the session tells its driver: the news of neighbors and observer that concern the peer. Numbering,
// retransmission and handshakes are done by then.

struct DataArrived {
  MessageKey key;
  PacketRef packet;
  MessageMetadata metadata = {};
};
/// A resuming peer is to restore the checkpoint of `iteration`. Empty: the others are running, so the peer
/// restores its newest checkpoint and replays its log.
struct ResumeFrom {
  std::optional<std::uint64_t> iteration;
};
struct RunStarts {
  Instant origin;  ///< of the run's time
};
/// The observer's verdict on the evaluation at iteration `evaluated`.
struct VerdictArrived {
  std::uint64_t evaluated;
  bool proceed;
  Announced announced = {};
};
/// While the data are at home: the observer asks for this peer's score of a mean model. Each question comes
/// once.
struct ScoreAsked {
  std::uint64_t iteration;       ///< of the evaluation
  std::vector<std::byte> model;  ///< its scalars, as they lie in memory; empty for x_0, iteration 0
};
/// The run ends early. `reason` is a sentence if something went wrong; empty if the user stopped the run.
struct RunStops {
  int exit_code;
  std::string reason;
};
/// All peers have ended. `exit_code` is that of the run: 0, 4 (diverged) or 130 (interrupted).
struct EveryPeerEnded {
  int exit_code;
};
/// Policy "drop": peer `id` is gone, or takes this peer for gone.
struct PeerDeparted {
  PeerId id;
  std::string how;  ///< "it was started anew"
  bool takes_this_for_gone = false;
};
/// Policy "drop": neighbor `id`, whose edge is out, answers again and waits for an offer (Peer::offer).
struct NeighborReturned {
  PeerId id;
};
/// Policy "drop": neighbor `id` offers that the edge be in again from `iteration` on, or later.
struct AttachmentOffered {
  PeerId id;
  std::uint64_t iteration;
};
/// Policy "drop": neighbor `id` has taken this peer's offer, and the edge is in from `iteration` on. Empty:
/// the neighbor declines, and the edge stays out.
struct OfferAnswered {
  PeerId id;
  std::optional<std::uint64_t> iteration;
};
/// Policy "drop": neighbor `by`, which joins the run, asks for this peer's model.
struct ModelAsked {
  PeerId by;
};
/// Policy "drop": the model that this peer, which joins the run, has asked neighbor `from` for.
struct ModelArrived {
  PeerId from;
  EntryPoint entry;
  std::vector<std::byte> model;  ///< its scalars, as they lie in memory
};
/// Policy "drop", members that agree on who they are: what one of them says about that (runtime/membership).
/// No event: it is handed over at once, whatever the peer is doing.
struct LetterArrived {
  PeerId from;
  std::uint32_t incarnation;
  std::vector<std::byte> bytes;
};
/// Sent after two seconds, ten, twenty and so on, until the run begins here.
struct StillWaits {
  std::string whom;  ///< "peer 2 (tcp://10.0.0.2:7000) to come up"
  Duration so_far;
};
/// This peer cannot take part in the run; `reason` is a sentence.
struct TakesNoPart {
  int exit_code;
  std::string reason;
};
using SocketEvent = std::variant<DataArrived, ResumeFrom, RunStarts, VerdictArrived, ScoreAsked, RunStops,
                                 EveryPeerEnded, PeerDeparted, NeighborReturned, AttachmentOffered,
                                 OfferAnswered, ModelAsked, ModelArrived, StillWaits, TakesNoPart>;

}  // namespace hearsay
