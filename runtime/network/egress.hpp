#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/network/link.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/long_message.hpp"

namespace hearsay {

/// Completes the headers of data frames with due time, payload length and payload checksum, and those of
/// evaluations with the due time alone. The due time comes from the emulated network. Pure: it is given the
/// time.
class Egress {
 public:
  /// `same_machine` is true if all peers share one clock: headers then carry due times; otherwise they carry
  /// the remaining hold.
  Egress(EgressPort port, bool same_machine) : port_(std::move(port)), same_machine_(same_machine) {}

  /// The run begins. Must be called before anything is sent.
  void begin(Instant start_of_run) { port_.begin(start_of_run); }

  struct Frame {
    FrameHeader header;
    std::uint32_t losses;  ///< how often the emulated network lost the frame
  };
  /// Returns the header of the frame of `packet` on `link`. `common` is the header that the session made.
  /// `posted` is when the method sent the message, `now` when the frame leaves this process; the link counts
  /// from `posted`. For the link, a long message and its pieces are one frame: the announcement passes with
  /// the bytes of all of them, and the pieces after it are due when it is.
  Frame frame(FrameHeader common, const PacketPart& packet, Instant posted, Instant now, Link& link) {
    common.payload_bytes = packet.size;
    common.payload_checksum = checksum_of(common.kind, packet);
    if (common.kind == FrameKind::message_piece) {
      put_due(common, link.last_due(), now);
      return {common, 0};
    }
    const Departure departure = stamp(common, frame_bytes(common.kind, packet), posted, now, link);
    return {common, departure.losses};
  }

  /// Gives up the packet of the last frame: no other send of it follows.
  void forget_packet() {
    checked_ = {};
    checksums_.clear();
  }

  /// Writes the due time of a frame of `frame_bytes` into its header; the rest as in `frame`.
  Departure stamp(FrameHeader& header, std::uint64_t frame_bytes, Instant posted, Instant now, Link& link) {
    const Departure departure = port_.send(posted, frame_bytes, link);
    put_due(header, departure.due, now);
    return departure;
  }

 private:
  static std::uint64_t frame_bytes(FrameKind kind, const PacketPart& packet) {
    if (kind != FrameKind::long_message) return header_bytes + packet.size;
    return header_bytes + to_neighbor::decode_long_message(packet.bytes())->following_bytes;
  }

  void put_due(FrameHeader& header, Instant due, Instant now) const {
    if (same_machine_) {
      header.due_ns = due.time_since_epoch().count();
    } else {
      header.flags = flag_remaining_hold;
      header.due_ns = std::max(Duration{0}, due - now).count();
    }
  }

  /// All sends of a packet follow each other, and share one checksum, or one for each piece.
  std::uint32_t checksum_of(FrameKind kind, const PacketPart& packet) {
    if (kind == FrameKind::long_message) return payload_checksum(packet.bytes());
    if (packet.packet != checked_) {
      checked_ = packet.packet;
      checksums_.clear();
    }
    const auto [known, is_new] = checksums_.try_emplace(packet.from);
    if (is_new) known->second = payload_checksum(packet.bytes());
    return known->second;
  }

  EgressPort port_;
  bool same_machine_;
  PacketRef checked_;
  std::map<std::size_t, std::uint32_t> checksums_;  // of the parts of `checked_`, by their first byte
};

}  // namespace hearsay
