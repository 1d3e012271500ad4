#include "runtime/wire/pieces.hpp"

namespace hearsay {

namespace {

constexpr std::uint32_t kinds = 256;
constexpr std::uint64_t numbers = std::uint64_t{1} << 24;

void put_name(const PiecesOf& of, FrameHeader& header) {
  header.slot = of.number * kinds + static_cast<std::uint32_t>(of.kind);
  header.iteration = of.iteration;
}

/// A kind beyond the known ones stays unknown: it fits no frame.
PiecesOf as_pieces_of(const FrameHeader& header) {
  return {.kind = static_cast<FrameKind>(header.slot % kinds),
          .iteration = header.iteration,
          .number = header.slot / kinds};
}

}  // namespace

PiecesOf pieces_of(const FrameHeader& frame) {
  return {.kind = frame.kind,
          .iteration = frame.iteration,
          .number = static_cast<std::uint32_t>(frame.sequence % numbers)};
}

void put(const Piece& piece, FrameHeader& header) {
  header.kind = Piece::kind;
  put_name(piece.of, header);
  header.sequence = piece.from;
  header.degree = piece.held_us;
}
Piece as_piece(const FrameHeader& header) {
  return {.of = as_pieces_of(header), .from = header.sequence, .held_us = header.degree};
}

void put(const Take& take, FrameHeader& header) {
  header.kind = Take::kind;
  put_name(take.of, header);
  header.sequence = take.from;
  header.degree = take.bytes;
  header.due_ns = static_cast<std::int64_t>(take.has);
}
Take as_take(const FrameHeader& header) {
  return {.of = as_pieces_of(header),
          .from = header.sequence,
          .bytes = header.degree,
          .has = static_cast<std::uint64_t>(header.due_ns)};
}

}  // namespace hearsay
