#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// The order in which a peer's messages go to its port, if its links change from round to round: a message
/// of an iteration waits while bytes of an earlier one, to another destination, have not left.
///
/// Connections share a port equally. So a peer that catches up, and sends the messages of several iterations
/// at once, would delay the oldest of them, for which somebody waits, and that peer would be late with all of
/// its own. With one neighbor a round, peers that are once out of step stay so: on equal ports a round then
/// takes the time of 3.6 messages. With the oldest first it takes that of one (`tests/transfer`).
///
/// Bytes that do not move for a second hold nothing back: their receiver stands still. Pure.
class OldestFirst {
 public:
  static constexpr Duration patience = std::chrono::seconds(1);
  static constexpr Duration looks_every = std::chrono::milliseconds(5);

  struct Message {
    std::size_t destination;  ///< place among the peer's destinations
    FrameHeader header;
    PacketPart packet;
    Instant posted;  ///< when the method sent it
  };

  explicit OldestFirst(std::size_t destinations) : lanes_(destinations) {}

  /// Messages to one destination leave in the order of the calls.
  void add(Message message);
  /// The messages to a destination will be sent again: its connection has begun anew.
  void forget(std::size_t destination) { lanes_[destination].waiting.clear(); }
  bool is_empty() const;
  /// Returns the number, on its link, of the first message that waits for `destination`.
  std::optional<std::uint64_t> first_number(std::size_t destination) const;

  /// Returns the oldest message if it may leave now. `unsent_bytes`, by destination: what the kernel was
  /// given and has not sent.
  std::optional<Message> next(Instant now, std::span<const std::uint64_t> unsent_bytes);
  /// Returns the oldest message, whether it may leave or not.
  std::optional<Message> next();

 private:
  struct Lane {
    std::deque<Message> waiting;
    std::uint64_t iteration = 0;     // of the last message that left; 0: none has
    std::uint64_t unsent_bytes = 0;  // when last looked at
    Instant moved = Instant::min();  // when they were last seen to shrink
  };
  Lane* oldest();
  bool is_held(const Message& message, Instant now) const;
  Message take(Lane& lane);

  std::vector<Lane> lanes_;
  std::optional<Instant> waits_since_;  // when the oldest message was first looked at
};

}  // namespace hearsay
