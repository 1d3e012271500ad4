#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// If W changes from round to round, two neighbors meet only now and then. The backlog of a peer holds the
/// packets that it has said in the meantime:
///
///   say     a packet joins the backlog, which forgets the packets that all hearers have heard, and the
///           oldest ones that do not fit into the length of one dense vector
///   tell    a hearer gets all packets since it was last told, in one message. If the backlog has forgotten
///           one of them, it gets the published vector in full precision instead, which is then shorter
///   replay  the hearer applies the packets to its replica, one by one, as their owner did
///
/// So a replica equals the owner's published vector as of their last meeting, bit for bit. A message is,
/// little-endian,
///
///   u64        how many packets its owner has said, since the start or the last `begin_anew`
///   and        for every packet that was missed: u32 its length, and its bytes
///   or         u32 0xffffffff, and the scalars of the published vector
///
/// Memory: at most one vector of R^d and 4 bytes, and two numbers per hearer.
template <class Scalar>
class Backlog {
 public:
  /// The backlog of a peer with a published vector in R^d, whose start all hearers know. `hearers`: the peers
  /// that hear it in some round, ascending.
  Backlog(const std::vector<PeerId>& hearers, Index dimension);

  std::uint64_t said() const { return said_; }
  void say(std::span<const std::byte> packet);
  /// The published vector has changed in another way than by a packet. Every hearer gets it in full next, and
  /// packets are counted from 0.
  void begin_anew();

  /// What is passed on of another backlog came in full: it is `said` packets now, and every hearer gets the
  /// vector in full next.
  void pass_over(std::uint64_t said);

  /// Posts to every peer that hears this one in the round what it missed. `published` is the vector after all
  /// packets. Hearers that missed the same share one packet. Returns the slot.
  Slot tell(Iteration<Scalar>& it, const Vector<Scalar>& published);
  /// The same to the peers of `to` alone, in a slot that sender and receiver name.
  void tell(Iteration<Scalar>& it, const Vector<Scalar>& published, Slot slot, std::span<const PeerId> to);
  /// The peers that hear this one in the round, and were told all but the last packet, have got it in a
  /// message of its own.
  void told_apart(std::span<const PeerId> heard_by);

  void visit(StateVisitor<Scalar>& visitor);
  /// True if the state that a visitor has written consists of whole packets, and every hearer was told up to
  /// the beginning of one.
  bool is_sound() const;

 private:
  struct MessageSince {
    std::uint64_t since;
    PacketRef message;
  };
  void forget_until(std::uint64_t position);
  void address(Iteration<Scalar>& it, const Vector<Scalar>& published, std::span<const PeerId> to);
  PacketRef message_since(std::uint64_t position, Iteration<Scalar>& it, const Vector<Scalar>& published);

  std::size_t limit_bytes_;
  std::vector<std::byte> packets_;  // each behind its length
  std::uint64_t begin_ = 0;         // position of packets_ among all bytes ever said
  std::uint64_t said_ = 0;
  std::vector<PeerId> hearers_;
  std::vector<std::uint64_t> told_until_;     // by hearer, a position among all bytes ever said
  std::vector<MessageSince> messages_since_;  // the messages of one `tell`
  std::vector<PacketRef> addressed_;          // the same messages, by hearer
};

/// Returns the backlog of a peer if W changes from round to round. Empty if W is fixed.
template <class Scalar>
std::optional<Backlog<Scalar>> backlog_for(const MethodInput<Scalar>& input) {
  if (!input.links_vary) return std::nullopt;
  return Backlog<Scalar>(input.hearers, input.initial.size());
}

/// A parsed message of a backlog. Any bytes can be parsed.
struct BacklogMessage {
  std::uint64_t said;
  std::optional<std::span<const std::byte>> dense;  ///< the published vector, if it was sent
  std::span<const std::byte> packets;               ///< the missed packets, if not

  /// Returns the message of a sender `heard` of whose packets were heard before. Empty unless the message
  /// holds all later packets, or a vector of `vector_bytes`.
  static std::optional<BacklogMessage> parse(std::span<const std::byte> bytes, std::uint64_t heard,
                                             std::size_t vector_bytes);
};

/// Returns the first packet, and removes it from `packets`. Empty if the bytes do not begin with a whole
/// packet.
std::optional<std::span<const std::byte>> take_packet(std::span<const std::byte>& packets);

/// Brings a replica up to date with its owner. `replay(packet, number)` applies the owner's `number`-th
/// packet, counted from 1, to the replica, and returns its status. `heard` is the number of packets heard,
/// before and after. Returns a status other than ok if a packet had one.
template <class Scalar, class Replay>
CodecStatus catch_up(std::span<const std::byte> message, std::uint64_t& heard, Vector<Scalar>& replica,
                     Replay&& replay) {
  const auto parsed = BacklogMessage::parse(message, heard, view(replica).size_bytes());
  if (!parsed) return CodecStatus::malformed;
  std::uint64_t number = std::exchange(heard, parsed->said);
  if (parsed->dense) {
    read_full<Scalar>(*parsed->dense, view(replica));
    return all_finite(view(std::as_const(replica))) ? CodecStatus::ok : CodecStatus::not_finite;
  }
  CodecStatus status = CodecStatus::ok;
  std::span<const std::byte> packets = parsed->packets;
  while (const auto packet = take_packet(packets)) {
    const CodecStatus one = replay(*packet, ++number);
    if (one != CodecStatus::ok) status = one;
  }
  return status;
}

/// Returns the size of the longest message, for a published vector of `vector_bytes`.
constexpr std::uint64_t dense_backlog_bytes(std::uint64_t vector_bytes) {
  return sizeof(std::uint64_t) + sizeof(std::uint32_t) + vector_bytes;
}

/// What the owner of a backlog sends in an iteration, known before the run.
struct BacklogTraffic {
  std::uint64_t packet_bytes;
  /// If false, packet_bytes is an upper bound.
  bool exact;
  std::uint64_t vector_bytes;
  /// When an iteration says its own packet.
  enum class Own {
    told_with_others,  ///< before it tells
    told_next_time,    ///< after it has told
    told_apart,        ///< after it has told, in a message of its own, which is not counted here
  };
  Own own = Own::told_with_others;
  /// Iterations between two `begin_anew`, each in the place of a packet; a peer that sits such an iteration
  /// out begins anew in its next one. 0: never.
  std::uint64_t anew_every = 0;
  /// A neighbor that hears the owner, but not its backlog; nobody by default.
  PeerId not_told = std::numeric_limits<PeerId>::max();

  Traffic in(std::uint64_t number, const PeerRows& rows) const;
};

}  // namespace hearsay
