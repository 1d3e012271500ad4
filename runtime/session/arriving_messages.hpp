#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/wire/long_message.hpp"

namespace hearsay {

/// A long message that has come whole.
struct WholeMessage {
  FrameHeader header;  ///< that of the frame which announced the message
  PacketRef packet;
  std::uint64_t frame_bytes;  ///< that the pieces since the last announcement take as one frame
};

/// The long messages of one source: puts their pieces together, in whatever order they come, and knows which
/// are missing. Remembers the last messages that have come whole, so that they are not sent again.
class ArrivingMessages {
 public:
  /// A source sends one message after the other, so more than one is incomplete only if pieces are lost.
  static constexpr std::size_t most_incomplete = 8;
  static constexpr std::size_t most_whole = 64;

  /// True if the message is among the last ones that were announced.
  bool knows(const FrameHeader& frame) const { return find(frame) != nullptr; }
  /// A message is announced, or what is missing of it. Takes memory from the pool for one that is new, unless
  /// `most_incomplete` others are.
  void begin(const FrameHeader& header, const to_neighbor::LongMessage& message, PacketPool& packets);
  /// True if a piece of a message that is known has a number and a length that it can have.
  bool fits(const FrameHeader& piece, std::size_t bytes) const;
  /// Takes in a piece that fits. Returns the message if that was the last missing one.
  std::optional<WholeMessage> take(const FrameHeader& piece, std::span<const std::byte> bytes);
  /// Messages of earlier iterations are needed no more.
  void forget_before(std::uint64_t iteration);
  /// Another process sends from now on.
  void forget_all() { messages_.clear(); }
  std::vector<to_neighbor::PiecesHeld> held() const;

 private:
  struct Message {
    FrameHeader header;
    to_neighbor::LongMessage announced;
    std::vector<bool> has;
    std::uint32_t missing;
    std::optional<PacketBuffer> buffer;  // empty: the message is whole
  };
  const Message* find(const FrameHeader& frame) const;
  Message* find(const FrameHeader& frame);
  bool has_room_for_another();

  std::vector<Message> messages_;  // in the order in which they were announced first
};

}  // namespace hearsay
