#pragma once

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/network/link.hpp"
#include "runtime/wire/frame.hpp"

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
  /// from `posted`.
  Frame frame(FrameHeader common, const PacketRef& packet, Instant posted, Instant now, Link& link) {
    if (packet != checked_) {  // all sends of a packet follow each other, and share one checksum
      checked_ = packet;
      checksum_ = payload_checksum(packet->bytes());
    }
    const Departure departure = stamp(common, header_bytes + packet->size(), posted, now, link);
    common.payload_bytes = static_cast<std::uint32_t>(packet->size());
    common.payload_checksum = checksum_;
    return {common, departure.losses};
  }

  /// Writes the due time of a frame of `frame_bytes` into its header; the rest as in `frame`.
  Departure stamp(FrameHeader& header, std::uint64_t frame_bytes, Instant posted, Instant now, Link& link) {
    const Departure departure = port_.send(posted, frame_bytes, link);
    if (same_machine_) {
      header.due_ns = departure.due.time_since_epoch().count();
    } else {
      header.flags = flag_remaining_hold;
      header.due_ns = std::max(Duration{0}, departure.due - now).count();
    }
    return departure;
  }

 private:
  EgressPort port_;
  bool same_machine_;
  PacketRef checked_;
  std::uint32_t checksum_ = 0;
};

}  // namespace hearsay
