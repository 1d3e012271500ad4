#include "runtime/wire/pieces.hpp"

namespace hearsay {

namespace {

void put_name(const PiecesOf& of, FrameHeader& header) {
  header.slot = static_cast<std::uint32_t>(of.kind);
  header.iteration = of.iteration;
}

/// A kind beyond the known ones stays unknown: it fits no frame.
PiecesOf as_pieces_of(const FrameHeader& header) {
  const std::uint32_t kind = header.slot < 256 ? header.slot : 0;
  return {.kind = static_cast<FrameKind>(kind), .iteration = header.iteration};
}

}  // namespace

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
