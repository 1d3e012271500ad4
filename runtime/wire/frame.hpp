#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runtime/foundation/read_in_place.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// A frame is a header of 64 bytes and a payload, the two parts of one ZeroMQ message. The parts are separate
// so that all sends of a payload share its bytes. Numbers are little-endian.
//
// README.md of this folder repeats this table. It also has a row for every kind: who sends it to whom, its
// fields, its payload, its answer.
//
//   offset  bytes  field             meaning
//        0      2  version           7. Read first: another version may have another length and another
//                                    checksum
//        2      1  kind              1 to 35, see below
//        3      1  flags             bit 0: `due` is a remaining hold; bits 1 to 3 are zero; bits 4 to 7:
//                                    bits 32 to 35 of the length of the payload
//        4      4  run id            digest of the agreement, the same in all frames of a run
//        8      4  sender            peer id; the observer's is 0
//       12      4  incarnation       tells the sending process from an earlier one with the same id: the
//                                    lower 32 bits of the wall clock in ms at its start; the observer's is 0
//       16      8  iteration         data: the iteration of the message. Other kinds, unless their row says
//                                    otherwise: the first iteration of which the sender still needs messages;
//                                    probe, probed and frames of the observer: 0
//       24      4  slot              data: number of the message in that iteration, from 0. Other kinds: see
//                                    their row, else 0
//       28      4  degree            data under policy "drop": the sender's degree from the next iteration on
//                                    (in slot 0xfffffffd: from this iteration on); or, if the members agree
//                                    on who they are, the number of their view. Other kinds: see their row,
//                                    else 0
//       32      8  sequence          data: number of the frame on its directed link, from 0. Other kinds: see
//                                    their row, else 0
//       40      8  due               data: when the last byte reaches the receiver's port, in ns of the
//                                    monotonic clock; with bit 0 of the flags: for how many ns the receiver
//                                    still holds the frame. Other kinds: see their row, else 0. Below 2^62,
//                                    not negative
//       48      4  replica digest    data, every 32nd iteration: digest of what the sender had published
//                                    before this iteration; 0: none. Other kinds: see their row, else 0
//       52      4  payload bytes     length of the payload, its lower 32 bits
//       56      4  payload checksum  over the payload
//       60      4  header checksum   over the 60 bytes before it
//
// A checksum is XXH3 (64 bits, seed 0), its upper half xor its lower half.

/// The peer in whose process or on whose host the observer runs. The observer uses the key of this peer.
inline constexpr PeerId observer_peer = 0;

inline constexpr std::uint16_t wire_version = 7;
inline constexpr std::size_t header_bytes = 64;
/// `due` lies in [0, due_limit_ns). The limit is 146 years, so the sum of two such times does not overflow.
inline constexpr std::int64_t due_limit_ns = std::int64_t{1} << 62;
/// The longest payload that a header can announce is shorter. A model fits: what is longer travels in pieces.
inline constexpr std::uint64_t payload_bytes_limit = std::uint64_t{1} << 36;

/// What a frame is for. Each comment ends with the structs of the kind's fields, if any (control_word.hpp).
enum class FrameKind : std::uint8_t {
  /// Asks to train together; payload: the agreement. to_neighbor::Hello, to_observer::Hello
  hello = 1,
  /// The answer to a hello that is accepted; no payload. From a neighbor: to_neighbor::Welcome
  welcome = 2,
  /// The answer to a hello or a join that is not accepted; payload: one sentence that says why. From the
  /// observer: from_observer::Refuse
  refuse = 3,
  /// Payload: a message of the method to a neighbor.
  data = 4,
  /// To the observer: the sender and all its neighbors have welcomed each other; or not yet, payload: for
  /// whom the sender waits. to_observer::Ready
  ready = 5,
  /// From the observer: the run begins. from_observer::Start
  start = 6,
  /// To the observer, on `iteration`; payload: meters and model.
  evaluation = 7,
  /// From the observer: the verdict on an evaluation. from_observer::Verdict
  verdict = 8,
  /// The run ends now; payload: why, in a sentence, or empty if the user stopped the run or it diverged. Stop
  stop = 9,
  /// To the observer: the sender has ended; iteration: its last; payload: its outcome.
  result = 10,
  /// From the observer: all peers have ended. from_observer::Bye. To the observer: the sender has heard that,
  /// or a stop that gives a reason, and ends.
  bye = 11,
  /// The heartbeat; payload, from the observer before the run: for whom all peers wait. to_neighbor::Alive,
  /// to_observer::Alive, from_observer::Alive
  alive = 12,
  /// To a source, or from the observer: say hello again. A frame is missing, or the sender of `again` does
  /// not know the process; see IncomingLink and claims.hpp. From the observer: from_observer::Again
  again = 13,
  /// To the observer, from a peer that resumes; payload: the iterations of its checkpoints, u64 each.
  holds = 14,
  /// From the observer: resume from a checkpoint. from_observer::Resume
  resume = 15,
  /// A question of `hearsay check --connect`; payload: the agreement. to_neighbor::Probe; the answer,
  /// `probed`: to_neighbor::Probed. For a refusal its payload says why.
  probe = 16,
  /// The answer to a probe; sequence: that of the probe. Slot 1: refused; payload: why (probe.hpp).
  probed = 17,

  // Policy "drop".

  /// To a neighbor: the sender has removed their edge. To the observer: the sender leaves, and the run goes
  /// on.
  parted = 18,
  /// From the observer: a process has ended. from_observer::Departed
  departed = 19,
  /// To a neighbor, after both have removed their edge: the sender can restore it at `iteration` or later.
  offer = 20,
  /// The answer to an offer: the edge is restored from `iteration` on.
  taken = 21,

  // For a peer that joins a run in progress (joining.hpp).

  /// To a neighbor: send your model. To the observer: the sender has a model. to_observer::Join
  join = 22,
  /// The answer of a neighbor to a join; payload: the model. to_neighbor::Model
  model = 23,

  // While the data are at home (Problem::at_home): no process but the peer's own can judge a model on them.

  /// From the observer: what is the loss of the mean model of the evaluation at `iteration`? Payload: the
  /// scalars of that model.
  question = 24,
  /// The answer to a question, on `iteration`; payload: a LocalScore (score_payload.hpp).
  answer = 25,

  // A long frame between a peer and the observer on another machine travels in pieces (runtime/transfer).

  /// Payload: a part of the frame. Piece
  piece = 26,
  /// The receiver of the pieces asks for the next ones; no payload. Take
  take = 27,

  // A survey of the network before a run: `hearsay check --connect --measure` (survey_words.hpp).

  /// From the observer: a step begins. Measure
  measure = 28,
  /// To the observer: what a peer has measured in a step. Measured
  measured = 29,
  /// To the peer whose messages are measured: how much it may send. Allow
  allow = 30,
  /// To the peer that measures; payload: bytes that say nothing. Load
  load = 31,

  // A long message of the method between neighbors travels in pieces, too (long_message.hpp). The fields of
  // the first two are those of data, unless said otherwise.

  /// Announces the message; payload: to_neighbor::LongMessage
  long_message = 32,
  /// Payload: a piece of the message. to_neighbor::MessagePiece
  message_piece = 33,
  /// From the receiver: how many pieces of the message it can take. to_neighbor::TakesPieces
  takes_pieces = 34,

  // Policy "drop", if the members of the run agree on who they are (runtime/membership).

  /// To another member; payload: a letter (letter_bytes.hpp).
  letter = 35,
};

inline constexpr std::uint8_t flag_remaining_hold = 1;

/// True if a frame of this kind carries a message of the method, or a part of one. Such frames are numbered.
constexpr bool carries_message(FrameKind kind) {
  return kind == FrameKind::data || kind == FrameKind::long_message || kind == FrameKind::message_piece;
}

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
  std::uint64_t payload_bytes = 0;
  std::uint32_t payload_checksum = 0;
  bool operator==(const FrameHeader&) const = default;
};

/// True if the observer sent the frame: its sender is `observer_peer`, and its incarnation is 0, which tells
/// it from the frames of that peer.
inline bool is_from_observer(const FrameHeader& header) {
  return header.sender == observer_peer && header.incarnation == 0;
}

/// Why a frame was not accepted. Garbage from the network is counted and throws nothing.
enum class FrameDefect : std::uint8_t {
  none,
  truncated,         ///< the header part has fewer than 64 bytes
  excess,            ///< the header part has more than 64 bytes
  version,           ///< another wire version; the rest of the header was not read
  header_checksum,   ///< damaged, or no header at all
  kind,              ///< a kind this version does not know
  flags,             ///< a flag this version does not know
  due,               ///< negative, or not below due_limit_ns
  payload_length,    ///< the payload is longer than the receiver's limit
  payload_checksum,  ///< the payload's length or checksum differs from the header's (`payload_intact`)
};

/// Returns the defect in words, for logs: "header checksum".
std::string_view to_text(FrameDefect defect);

/// Writes all 64 bytes, including version and header checksum. Precondition, checked: `due_ns` lies in [0,
/// due_limit_ns), `payload_bytes` below `payload_bytes_limit`, and `flags` has known bits only.
void encode_header(const FrameHeader& header, std::span<std::byte, header_bytes> out);

struct DecodedHeader {
  FrameDefect defect = FrameDefect::none;
  FrameHeader header;  ///< valid only if there is no defect
};

/// Reads the header part of a frame; `bytes` may be arbitrary. A header that announces more than
/// `payload_limit_bytes` is refused before memory is allocated for the payload.
DecodedHeader decode_header(std::span<const std::byte> bytes, std::size_t payload_limit_bytes);

/// Returns the checksum above, which headers and run ids use, too.
std::uint32_t payload_checksum(std::span<const std::byte> payload);
/// True if the payload has the length and the checksum that its header announces.
bool payload_intact(const FrameHeader& header, std::span<const std::byte> payload);
/// The same of a payload in such memory. Lets go of it part by part.
bool payload_intact(const FrameHeader& header, std::span<const std::byte> payload, const ReadInPlace& memory);

/// Returns when a frame that came at `received` is due: the instant in the header, or `received` plus the
/// remaining hold.
Instant due_instant(const FrameHeader& header, Instant received);

}  // namespace hearsay
