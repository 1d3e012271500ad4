#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// A frame is a header of 64 bytes and a payload. They travel as the two parts of one ZeroMQ message, so that
// a payload which is encoded once is shared by all its sends. Numbers are little-endian.
//
//   offset  bytes  field             meaning
//        0      2  version           wire_version; first, so that it can be read whatever follows it
//        2      1  kind              FrameKind
//        3      1  flags             bit 0: `due` is a remaining hold; the other bits are zero
//        4      4  run id            digest of what the peers of a run agree on (agreement.hpp)
//        8      4  sender            peer id
//       12      4  incarnation       tells the sending process from an earlier one under the same id
//       16      8  iteration         data: the iteration the payload belongs to; else: the first iteration
//                                    whose messages the sender still needs, or as control_word.hpp says
//       24      4  slot              data: number of the exchange in that iteration; else: control_word.hpp
//       28      4  degree            data under policy "drop": the sender's degree (peer.hpp, Outgoing)
//       32      8  sequence          data: number of this frame on its directed link, from 0; else:
//                                    control_word.hpp
//       40      8  due               ns of the run clock when the last byte reaches the receiver's port; or,
//                                    between hosts, the ns for which the receiver still holds the frame
//       48      4  replica digest    data: digest of what the sender had published before this iteration, for
//                                    the replicas its neighbors keep (replica_watch.hpp); 0: none
//       52      4  payload bytes     length of the payload
//       56      4  payload checksum  over the payload
//       60      4  header checksum   over the 60 bytes before it
//
// A checksum is XXH3 (64 bits, seed 0), its upper half xor its lower half.

/// The peer whose process runs the observer. The observer uses that peer's key.
inline constexpr PeerId observer_peer = 0;

inline constexpr std::uint16_t wire_version = 4;
inline constexpr std::size_t header_bytes = 64;
/// `due` lies in [0, due_limit_ns), that is, below 146 years: the sum of two does not overflow.
inline constexpr std::int64_t due_limit_ns = std::int64_t{1} << 62;

/// What a frame is for. Behind each kind stand the structs of what its header says (control_word.hpp).
enum class FrameKind : std::uint8_t {
  /// I want to exchange with you; payload: the agreement. to_neighbor::Hello, to_observer::Hello
  hello = 1,
  /// We agree; no payload. to_neighbor::Welcome
  welcome = 2,
  /// We disagree; payload: one sentence that says what differs. from_observer::Refuse
  refuse = 3,
  /// Payload: a method's message to a neighbor.
  data = 4,
  /// To the observer: all my neighbors have welcomed me; or not yet, payload: for whom I wait.
  /// to_observer::Ready
  ready = 5,
  /// From the observer: all peers are ready. from_observer::Start
  start = 6,
  /// To the observer, on `iteration`; payload: meters and model.
  evaluation = 7,
  /// From the observer, on an evaluation. from_observer::Verdict
  verdict = 8,
  /// The run ends now; payload: why, in a sentence, or nothing if the user stopped it. Stop
  stop = 9,
  /// To the observer: the peer has ended, after `iteration`; payload: its outcome.
  result = 10,
  /// From the observer: every peer has ended. from_observer::Bye
  bye = 11,
  /// A sign of life, sent at every heartbeat. From the observer, before the run, payload: for whom all wait.
  /// to_neighbor::Alive, to_observer::Alive, from_observer::Alive
  alive = 12,
  /// To a source, or from the observer: something you sent is missing here, say hello again.
  /// from_observer::Again
  again = 13,
  /// To the observer, from a peer that is to resume; payload: the iterations of its checkpoints, u64 each.
  holds = 14,
  /// From the observer: resume from a checkpoint. from_observer::Resume
  resume = 15,
  /// Of `hearsay check --connect`. probe is a question; payload: the agreement. probed is the answer;
  /// payload, if it is a refusal: why (probe.hpp). to_neighbor::Probe, to_neighbor::Probed
  probe = 16,
  probed = 17,
  // Policy "drop".
  /// To a neighbor: I have removed our edge. To the observer: I leave, and the run goes on.
  parted = 18,
  /// From the observer: a process has ended. from_observer::Departed
  departed = 19,
  /// To a neighbor, after both have removed their edge: I can restore it at `iteration` or later.
  offer = 20,
  /// The answer: the edge is restored from `iteration` on.
  taken = 21,
  // For a peer that joins a run in progress (joining.hpp).
  /// To a neighbor: send me your model. To the observer: I have one, and continue with `iteration`.
  /// to_observer::Join
  join = 22,
  /// The neighbor's answer; payload: the model. to_neighbor::Model
  model = 23,
};

inline constexpr std::uint8_t flag_remaining_hold = 1;

struct FrameHeader {
  FrameKind kind = FrameKind::data;
  std::uint8_t flags = 0;
  std::uint32_t run_id = 0;
  PeerId sender = 0;
  std::uint32_t incarnation = 0;
  std::uint64_t iteration = 0;
  std::uint32_t slot = 0;
  std::uint32_t degree = 0;
  std::uint64_t sequence = 0;
  std::int64_t due_ns = 0;
  std::uint32_t replica_digest = 0;
  std::uint32_t payload_bytes = 0;
  std::uint32_t payload_checksum = 0;
  bool operator==(const FrameHeader&) const = default;
};

/// Whether the observer sent the frame: it bears its peer's id and names no process, as peers always do.
inline bool is_from_observer(const FrameHeader& header) {
  return header.sender == observer_peer && header.incarnation == 0;
}

/// Why a frame was not accepted. Garbage from the network is data: the driver counts it by kind, nothing
/// throws.
enum class FrameDefect : std::uint8_t {
  none,
  truncated,         ///< the header part has fewer than 64 bytes
  excess,            ///< the header part has more than 64 bytes
  version,           ///< another wire version; nothing after the version was looked at
  header_checksum,   ///< damaged, or no header at all
  kind,              ///< a kind this version does not know
  flags,             ///< a flag this version does not know
  due,               ///< negative, or 146 years and more
  payload_length,    ///< above the receiver's limit
  payload_checksum,  ///< the payload is not the one the header announces (`payload_intact`)
};
inline constexpr std::size_t frame_defect_count = 10;

/// The defect in words, for logs and counters: "header checksum".
std::string_view to_text(FrameDefect defect);

/// Writes all 64 bytes, version and header checksum included. `due_ns` lies in [0, due_limit_ns), `flags` has
/// known bits only; anything else is a bug.
void encode_header(const FrameHeader& header, std::span<std::byte, header_bytes> out);

struct DecodedHeader {
  FrameDefect defect = FrameDefect::none;
  FrameHeader header;  ///< meaningful if there is no defect
};

/// Reads the header part of a frame, which may be arbitrary bytes. A payload length above
/// `payload_limit_bytes` is refused here, before anything is allocated for it.
DecodedHeader decode_header(std::span<const std::byte> bytes, std::size_t payload_limit_bytes);

std::uint32_t payload_checksum(std::span<const std::byte> payload);
/// True if the payload has the length and the checksum that its header announces.
bool payload_intact(const FrameHeader& header, std::span<const std::byte> payload);

/// When a frame that came at `received` is due: the instant in the header, or `received` plus the remaining
/// hold.
Instant due_instant(const FrameHeader& header, Instant received);

}  // namespace hearsay
