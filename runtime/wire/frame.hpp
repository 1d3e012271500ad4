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
//        4      4  run id            digest of what the peers of a run agree on (handshake.hpp)
//        8      4  sender            peer id
//       12      4  incarnation       tells the sending process from an earlier one under the same id
//       16      8  iteration         the iteration the payload belongs to; hello, welcome, alive: the first of
//                                    which the sender still needs messages; hello to the observer: how many
//                                    the run has
//       24      4  slot              which exchange of that iteration
//       28      4  degree            of data, policy "drop": the sender's degree (peer.hpp, Outgoing)
//       32      8  sequence          data: number of this frame on its directed link, from 0; hello, alive: the
//                                    number that the next data frame will have; welcome: the hello's; again from
//                                    the observer, and the hello to it that answers: see observer_session_claims.cpp
//       40      8  due               ns of the run clock when the last byte reaches the receiver's port; or,
//                                    between hosts, the ns that the receiver still has to hold the frame
//       48      4  replica digest    data: of what the sender had published before this iteration, for the replicas its
//                                    neighbors keep (replica_watch.hpp); 0: none
//       52      4  payload bytes     length of the payload
//       56      4  payload checksum  over the payload
//       60      4  header checksum   over the 60 bytes before it
//
// A checksum is XXH3 (64 bits, seed 0), its upper half xor its lower half.

inline constexpr std::uint16_t wire_version = 4;
inline constexpr std::size_t header_bytes = 64;
/// `due` is not negative and below this (146 years), so that no sum of two of them overflows.
inline constexpr std::int64_t due_limit_ns = std::int64_t{1} << 62;

enum class FrameKind : std::uint8_t {
  hello =
      1,  ///< I want to exchange with you; payload: the agreement. To the observer, slot 1: `holds` follows, 2: I
          ///< am in the middle of the run
  welcome = 2,  ///< we agree; no payload
  /// We do not; payload: one sentence that says what differs. From the observer, slot 1: another process is that peer.
  refuse = 3,
  data = 4,  ///< payload: what a method says to its neighbor
  ready =
      5,  ///< to the observer: all my neighbors have welcomed me; slot 1: not yet, payload: for whom I wait
  start =
      6,  ///< from the observer: all peers are ready; `due` is the origin of the run's time, `iteration` how many
  evaluation = 7,  ///< to the observer; payload: meters and model
  /// From the observer, on the evaluation at `iteration`; slot 1: go on, 0: stop; sequence: after how many iterations
  /// checkpoints are due, where that goes by the time they take (checkpoint_period.hpp), else 0.
  verdict = 8,
  stop =
      9,  ///< the run ends now; payload: why, in a sentence, or nothing where the user wants it; slot: exit code
  result = 10,  ///< to the observer: the peer has ended; payload: its outcome
  bye = 11,     ///< from the observer: every peer has ended; slot: the run's exit code
  /// Nothing else to say; sent at every heartbeat. To the observer, slot: 1 once the run has begun here (2: and goes on without the
  /// observer; 3: did, but no longer; and so on), sequence: 1 + the newest verdict known, or 0. From it, iteration: the newest evaluation it has of the peer, slot: 1 once it has its result,
  /// 2 while it is busy with an evaluation, and says no more; payload, before the run: for whom all wait.
  alive = 12,
  again = 13,  ///< to a source, or from the observer: something you sent is missing here, say hello again
  /// To the observer, of a peer that goes on from a checkpoint; payload: the iterations of which it has one, u64 each.
  holds = 14,
  /// From the observer: go on from the checkpoint at `iteration`; or, with slot 1, from your newest one and your log, since the
  /// others are under way.
  resume = 15,
  /// Before a run, of hearsay check --connect: a question; payload: the agreement; slot 1: all of them were answered. And the
  /// answer, with the question's sequence; slot 1: refused, and the payload says why (connection_probe.hpp).
  probe = 16,
  probed = 17,
  // Policy "drop".
  parted =
      18,  ///< to a neighbor: this peer has taken our edge out; to the observer: it leaves, and the run goes on
  departed =
      19,  ///< from the observer: the process `sequence` (its incarnation) of the peer `slot` has ended
  offer =
      20,  ///< to a neighbor from which both have parted: our edge can be in from `iteration` on, or later
  taken = 21,  ///< the answer: it is in from `iteration` on
  // A peer that the run has gone on without (joining.hpp).
  join = 22,  ///< to a neighbor: tell me your model; to the observer: I have one, and go on with `iteration`
  model =
      23,  ///< the answer; payload: the model after `iteration`; sequence: 1 + the newest verdict known, or 0
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

/// Why a frame was not taken. The world's garbage is data: the driver counts it by kind, nothing throws.
enum class FrameDefect : std::uint8_t {
  none,
  truncated,         ///< the header part has fewer than 64 bytes
  excess,            ///< the header part has more than 64 bytes
  version,           ///< another wire version; nothing after the version was looked at
  header_checksum,   ///< damaged, or never was a header
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
  FrameHeader header;  ///< meaningful where there is no defect
};

/// Reads the header part of a frame; total on arbitrary bytes. A payload length above `payload_limit_bytes`
/// is refused here, before anyone allocates for it.
DecodedHeader decode_header(std::span<const std::byte> bytes, std::size_t payload_limit_bytes);

std::uint32_t payload_checksum(std::span<const std::byte> payload);
/// The payload has the length and the checksum that its header announces.
bool payload_intact(const FrameHeader& header, std::span<const std::byte> payload);

/// When a frame that came at `received` is due: the instant in the header, or `received` plus the remaining
/// hold.
Instant due_instant(const FrameHeader& header, Instant received);

}  // namespace hearsay
