#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// Where W changes from round to round, two neighbors meet now and then only. What a peer said in the
/// meantime is its backlog:
///
///   say     a packet joins the backlog, which forgets what all hearers have heard, and what no longer fits
///           in the length of one dense vector
///   tell    a hearer gets all that it missed since it was last told, in one message; or, where the backlog
///           has forgotten some of it, the published vector in full precision, which is then the shorter of
///           the two
///   replay  the hearer applies the packets to its replica, one by one, as their owner did
///
/// so that a replica is always what its owner had published when the two last met, bit for bit. A message is,
/// little-endian,
///
///   u64        how many packets its owner has said since it began (or, with `begin_anew`, began anew)
///   and        for every packet that was missed, u32 its length, and its bytes
///   or         u32 0xffffffff, and the scalars of the published vector
///
/// Memory: no more than one vector of R^d and 4 bytes, and two numbers a hearer.
template <class Scalar>
class Backlog {
 public:
  /// Of a peer that `hearers` (ascending) hear in some round, and whose published vector in R^d all know at
  /// first.
  Backlog(const std::vector<PeerId>& hearers, Index dimension);

  std::uint64_t said() const { return said_; }
  void say(std::span<const std::byte> packet);
  /// The published vector has changed otherwise than by a packet: everyone gets it in full, and packets are
  /// counted from 0.
  void begin_anew();

  /// Posts to all who hear this peer in the iteration's round what they missed of how `published` came to be.
  /// Who missed the same shares one packet.
  Slot tell(Iteration<Scalar>& it, const Vector<Scalar>& published);

  std::size_t memory_bytes() const { return packets_.capacity(); }

  void visit(StateVisitor<Scalar>& visitor);
  /// Whether what a visitor wrote is whole packets, and everybody was told up to the beginning of one.
  bool is_sound() const;

 private:
  struct Told {
    std::uint64_t since;
    PacketRef message;
  };
  void forget_until(std::uint64_t position);
  PacketRef message_since(std::uint64_t position, Iteration<Scalar>& it, const Vector<Scalar>& published);

  std::size_t limit_bytes_;
  std::vector<std::byte> packets_;  // each behind its length
  std::uint64_t begin_ = 0;         // where packets_ stands in all that was ever said, in bytes
  std::uint64_t said_ = 0;
  std::vector<PeerId> hearers_;
  std::vector<std::uint64_t> told_until_;  // by hearer, how far into all that was ever said, in bytes
  std::vector<Told> told_;                 // while messages are made
  std::vector<PacketRef> addressed_;       // the same, by hearer
};

/// Where W changes from round to round; nothing where it is fixed.
template <class Scalar>
std::optional<Backlog<Scalar>> backlog_for(const MethodInput<Scalar>& input) {
  if (!input.links_vary) return std::nullopt;
  return Backlog<Scalar>(input.hearers, input.initial.size());
}

/// A message of a backlog, taken apart. Total on arbitrary bytes.
struct BacklogMessage {
  std::uint64_t said;
  std::optional<std::span<const std::byte>> dense;  ///< the published vector
  std::span<const std::byte> packets;               ///< otherwise

  /// Of a sender of whose packets `heard` were heard before. Nothing unless all packets since then are there
  /// in full, or a vector of `vector_bytes`.
  static std::optional<BacklogMessage> parse(std::span<const std::byte> bytes, std::uint64_t heard,
                                             std::size_t vector_bytes);
};

/// The first packet, which is then no longer in `packets`; nothing where the bytes do not begin with one.
std::optional<std::span<const std::byte>> take_packet(std::span<const std::byte>& packets);

/// A replica catches up with its owner. `replay(packet, number)` applies the packet that its owner said as
/// its `number`-th, counted from 1, to the replica, and says how that went.
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

/// The longest message there is, of a published vector of so many bytes.
constexpr std::uint64_t dense_backlog_bytes(std::uint64_t vector_bytes) {
  return sizeof(std::uint64_t) + sizeof(std::uint32_t) + vector_bytes;
}

/// What the owner of a backlog sends in an iteration, before any data is seen.
struct BacklogTraffic {
  std::uint64_t packet_bytes;
  bool exact;  ///< every packet has so many bytes; otherwise at most
  std::uint64_t vector_bytes;
  bool tells_first =
      false;  ///< in an iteration it tells what was said before; otherwise what is said in it, too
  std::uint64_t anew_every =
      0;  ///< iterations in whose multiples it begins anew, instead of saying a packet; 0: never

  Traffic in(std::uint64_t number, const PeerRows& rows) const;
};

}  // namespace hearsay
