#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/wire/frame.hpp"

// A message of a method that is longer than a piece: it travels between neighbors as a frame that announces
// it, and a frame for each of its pieces. Every frame has its own number on the link, and its own checksum.

namespace hearsay::to_neighbor {

/// The length of a piece; the last one of a message may be shorter. Messages of this length or less travel in
/// one frame.
inline constexpr std::size_t usual_piece_bytes = std::size_t{4} << 20;

/// Announces a message. The header is that of a data frame, which the message would be if it were short.
struct LongMessage {
  std::uint64_t bytes = 0;            ///< of the message
  std::uint64_t following_bytes = 0;  ///< of the pieces that follow; fewer if the receiver has the others
  std::uint32_t piece_bytes = 0;

  std::uint32_t pieces() const {
    return piece_bytes == 0 ? 0 : static_cast<std::uint32_t>((bytes + piece_bytes - 1) / piece_bytes);
  }
  std::uint64_t begin_of(std::uint32_t piece) const { return std::uint64_t{piece} * piece_bytes; }
  std::uint64_t bytes_of(std::uint32_t piece) const {
    return begin_of(piece + 1) <= bytes ? piece_bytes : bytes - begin_of(piece);
  }
  bool operator==(const LongMessage&) const = default;
};
/// The payload of the frame.
std::vector<std::byte> encode(const LongMessage& message);
/// Returns nothing if no peer writes such a payload. `bytes` may be arbitrary.
std::optional<LongMessage> decode_long_message(std::span<const std::byte> bytes);

/// One piece: the payload. `iteration` and `slot` of the header are those of the message.
struct MessagePiece {
  static constexpr FrameKind kind = FrameKind::message_piece;
  std::uint32_t number = 0;  ///< from 0
  bool operator==(const MessagePiece&) const = default;
};
void put(const MessagePiece& piece, FrameHeader& header);
MessagePiece as_message_piece(const FrameHeader& header);

/// Over a real network a sender sends so many pieces of a message at once, and the others when the receiver
/// can take them (TakesPieces).
inline constexpr std::uint32_t pieces_at_once = 2;
/// A receiver that takes pieces in one by one permits so many beyond those that it has taken in.
inline constexpr std::uint32_t most_pieces_ahead = 4;

/// To a source: the sender can take the first `pieces` pieces of a message.
struct TakesPieces {
  static constexpr FrameKind kind = FrameKind::takes_pieces;
  std::uint64_t iteration = 0;  ///< of the message
  std::uint32_t slot = 0;       ///< of the message
  std::uint32_t pieces = 0;
  bool operator==(const TakesPieces&) const = default;
};
void put(const TakesPieces& word, FrameHeader& header);
TakesPieces as_takes_pieces(const FrameHeader& header);

/// Which pieces of a long message its receiver has. The payload of a `welcome` lists them, so that only the
/// others are sent again.
struct PiecesHeld {
  std::uint64_t iteration = 0;
  std::uint32_t slot = 0;
  std::vector<bool> has;
  bool operator==(const PiecesHeld&) const = default;
};
/// Returns no bytes for no messages.
std::vector<std::byte> encode(std::span<const PiecesHeld> held);
/// Returns nothing if the bytes, which may be arbitrary, are malformed.
std::optional<std::vector<PiecesHeld>> decode_pieces_held(std::span<const std::byte> bytes);

}  // namespace hearsay::to_neighbor
