#include "runtime/wire/long_message.hpp"

#include <utility>

#include "runtime/foundation/byte_stream.hpp"

namespace hearsay::to_neighbor {

std::vector<std::byte> encode(const LongMessage& message) {
  ByteWriter out;
  out.number(message.bytes);
  out.number(message.following_bytes);
  out.number(message.piece_bytes);
  return std::move(out).take();
}

std::optional<LongMessage> decode_long_message(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  LongMessage message;
  message.bytes = in.number<std::uint64_t>();
  message.following_bytes = in.number<std::uint64_t>();
  message.piece_bytes = in.number<std::uint32_t>();
  // No message is longer than a time in ns, and one of a single piece is none of several.
  const bool is_long = message.piece_bytes != 0 && message.bytes > message.piece_bytes &&
                       message.bytes < static_cast<std::uint64_t>(due_limit_ns);
  if (!in.read_whole() || !is_long || message.following_bytes > message.bytes) return std::nullopt;
  return message;
}

void put(const MessagePiece& piece, FrameHeader& header) {
  header.kind = MessagePiece::kind;
  header.degree = piece.number;
}
MessagePiece as_message_piece(const FrameHeader& header) { return {.number = header.degree}; }

void put(const TakesPieces& word, FrameHeader& header) {
  header.kind = TakesPieces::kind;
  header.iteration = word.iteration;
  header.slot = word.slot;
  header.degree = word.pieces;
}
TakesPieces as_takes_pieces(const FrameHeader& header) {
  return {.iteration = header.iteration, .slot = header.slot, .pieces = header.degree};
}

// u64 iteration, u32 slot, u32 number of pieces, and a bit for each, the lowest of a byte first.
std::vector<std::byte> encode(std::span<const PiecesHeld> held) {
  ByteWriter out;
  for (const PiecesHeld& message : held) {
    out.number(message.iteration);
    out.number(message.slot);
    out.number(static_cast<std::uint32_t>(message.has.size()));
    std::uint8_t bits = 0;
    for (std::size_t k = 0; k < message.has.size(); ++k) {
      if (message.has[k]) bits = static_cast<std::uint8_t>(bits | 1u << k % 8);
      if (k % 8 == 7 || k + 1 == message.has.size()) out.number(std::exchange(bits, std::uint8_t{0}));
    }
  }
  return std::move(out).take();
}

std::optional<std::vector<PiecesHeld>> decode_pieces_held(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  std::vector<PiecesHeld> held;
  while (in.left() > 0) {
    PiecesHeld message;
    message.iteration = in.number<std::uint64_t>();
    message.slot = in.number<std::uint32_t>();
    const auto pieces = in.number<std::uint32_t>();
    const auto bits = in.bytes((std::uint64_t{pieces} + 7) / 8);
    if (in.failed()) return std::nullopt;
    for (std::uint32_t k = 0; k < pieces; ++k)
      message.has.push_back((bits[k / 8] >> k % 8 & std::byte{1}) != std::byte{0});
    held.push_back(std::move(message));
  }
  if (!in.read_whole()) return std::nullopt;
  return held;
}

}  // namespace hearsay::to_neighbor
