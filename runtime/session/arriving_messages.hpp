#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/session/piece_hearer.hpp"
#include "runtime/wire/long_message.hpp"

namespace hearsay {

/// A long message that has come whole.
struct WholeMessage {
  FrameHeader header;  ///< that of the frame which announced the message
  PacketRef packet;
  std::uint64_t frame_bytes;    ///< that the pieces since the last announcement take as one frame
  std::size_t taken_bytes = 0;  ///< of a message that was taken in piece by piece: its packet is empty
};

/// The long messages of one source: puts their pieces together, in whatever order they come, or hands them to
/// who takes them in one by one, and knows which are missing. Remembers the last messages that have come
/// whole, so that they are not sent again.
class ArrivingMessages {
 public:
  /// A source sends one message after the other, so more than one is incomplete only if pieces are lost.
  static constexpr std::size_t most_incomplete = 8;
  static constexpr std::size_t most_whole = 64;

  /// True if the message is among the last ones that were announced.
  bool knows(const FrameHeader& frame) const { return find(frame) != nullptr; }
  /// A message is announced, or what is missing of it. Takes memory from the pool for one that is new, unless
  /// `most_incomplete` others are. `packets` null: it is not put together, but offered (`offer`).
  void begin(const FrameHeader& header, const to_neighbor::LongMessage& message, PacketPool* packets);
  /// True if a piece of a message that is known has a number and a length that it can have.
  bool fits(const FrameHeader& piece, std::size_t bytes) const;
  /// Takes in a piece that fits. Returns the message if that was the last missing one, and it is put
  /// together. `hearer`: of messages that come in pieces.
  std::optional<WholeMessage> take(const FrameHeader& piece, std::span<const std::byte> bytes,
                                   PieceHearer* hearer = nullptr);
  /// Hands the pieces that wait to `hearer`, in order, as far as it takes them. Returns the messages that it
  /// has taken in since it was asked last.
  std::vector<WholeMessage> offer(PieceHearer& hearer);
  /// How much the source may send of which message: what it was not told yet, or `all` that it may need.
  std::vector<to_neighbor::TakesPieces> permissions(bool all);
  /// Messages of earlier iterations are needed no more.
  void forget_before(std::uint64_t iteration);
  /// Another process sends from now on. What was taken in piece by piece stays, since the new process says
  /// the same: it repeats the iterations of the one before.
  void forget_all() {
    std::erase_if(messages_, [](const Message& message) { return !message.in_pieces; });
  }
  std::vector<to_neighbor::PiecesHeld> held() const;

 private:
  struct Message {
    FrameHeader header;
    to_neighbor::LongMessage announced;
    std::vector<bool> has;
    std::uint32_t missing = 0;
    std::optional<PacketBuffer> buffer;  // empty: the message is whole, or comes in pieces
    bool in_pieces = false;
    std::map<std::uint32_t, PacketBuffer> waiting;  // pieces, for the hearer; by their numbers
    std::uint32_t taken = 0;                        // pieces, by the hearer
    bool is_told = false;                           // to the peer, that it is whole
    std::uint32_t permitted = 0;                    // how many pieces the source was told to send

    MessageKey key() const { return {header.iteration, header.slot, header.sender}; }
    bool is_whole() const { return missing == 0 && (!in_pieces || taken == has.size()); }
    bool offer_next(std::span<const std::byte> bytes, PieceHearer& hearer) {
      if (!hearer.hear_piece(key(), announced.begin_of(taken), bytes)) return false;
      ++taken;
      return true;
    }
    std::uint32_t can_take() const;
  };
  const Message* find(const FrameHeader& frame) const;
  Message* find(const FrameHeader& frame);
  bool has_room_for_another();

  PacketPool piece_storage_;       // of pieces that wait: a pool of its own, since all have the same length
  std::vector<Message> messages_;  // in the order in which they were announced first
};

}  // namespace hearsay
