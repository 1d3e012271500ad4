#pragma once

#include <cstdint>

#include "runtime/wire/frame.hpp"

// The words with which a long frame travels in pieces, in both directions between a peer and the observer.

namespace hearsay {

/// Which frame the pieces are of.
struct PiecesOf {
  FrameKind kind = FrameKind::evaluation;  ///< any number may arrive
  std::uint64_t iteration = 0;
  std::uint32_t number = 0;  ///< `sequence` of the frame, modulo 2^24
  bool operator==(const PiecesOf&) const = default;
};

/// A part of a frame, which is read as its header followed by its payload. The first piece, from 0 on, is
/// the header alone, and announces the frame; the others come when they are asked for.
struct Piece {
  static constexpr FrameKind kind = FrameKind::piece;
  PiecesOf of;
  std::uint64_t from = 0;     ///< the position of the first byte of the payload in that frame
  std::uint32_t held_us = 0;  ///< for how long after the take its sender held it back, in microseconds
  bool operator==(const Piece&) const = default;
};
/// Returns the name of a frame that travels in pieces.
PiecesOf pieces_of(const FrameHeader& frame);
void put(const Piece& piece, FrameHeader& header);
Piece as_piece(const FrameHeader& header);

/// The receiver has the first `has` bytes of the frame, all of them if that is its length, and asks for
/// `bytes` bytes from position `from` on; 0 bytes: it asks for nothing now.
struct Take {
  static constexpr FrameKind kind = FrameKind::take;
  PiecesOf of;
  std::uint64_t from = 0;
  std::uint32_t bytes = 0;
  std::uint64_t has = 0;  ///< below 2^62
  bool operator==(const Take&) const = default;
};
void put(const Take& take, FrameHeader& header);
Take as_take(const FrameHeader& header);

}  // namespace hearsay
