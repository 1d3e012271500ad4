#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/foundation/units.hpp"
#include "runtime/transfer/quickest_delay.hpp"

namespace hearsay {

/// How many bytes of a transfer may be under way, so that it gives way to other traffic: it grows while
/// pieces come as soon as the quickest ones, and is halved, once in a round, when they had to queue. The idea
/// of LEDBAT (RFC 6817), applied by the receiver (RFC 9840).
class TakeWindow {
 public:
  static constexpr std::uint64_t least_bytes = 8 << 10;
  static constexpr std::uint64_t most_bytes = 64 << 20;
  static constexpr std::uint64_t least_piece_bytes = 8 << 10;
  static constexpr std::uint64_t most_piece_bytes = 256 << 10;
  /// The most pieces that a window asks for at once.
  static constexpr std::size_t most_pieces = most_bytes / most_piece_bytes;
  /// A piece that comes later than the quickest one by more than this had to queue.
  static constexpr Duration queueing_limit = std::chrono::milliseconds(25);

  std::uint64_t bytes() const { return bytes_; }
  /// How long a piece is to be: an eighth of the window.
  std::uint32_t piece_bytes() const {
    return static_cast<std::uint32_t>(std::clamp(bytes_ / 8, least_piece_bytes, most_piece_bytes));
  }
  /// A piece of `bytes` bytes has come `delay` after it was asked for. `under_way`: how many bytes were, with
  /// it. A window that is not used says nothing of a larger one, and does not grow.
  void note(std::uint64_t bytes, Duration delay, std::uint64_t under_way, Instant now);
  /// A piece that was asked for has not come.
  void note_loss(Instant now) { halve(now); }

 private:
  void halve(Instant now) {
    bytes_ = std::max(bytes_ / 2, least_bytes);
    halved_at_ = now;
    doubles_ = false;
  }

  std::uint64_t bytes_ = least_bytes;
  bool doubles_ = true;  // in every round, until a piece has queued
  Instant halved_at_ = Instant::min();
  QuickestDelay quickest_;
};

}  // namespace hearsay
