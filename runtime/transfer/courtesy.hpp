#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "runtime/foundation/units.hpp"
#include "runtime/transfer/piece_delays.hpp"

namespace hearsay {

/// When a piece may travel: at any time while the training waits for no message. While it does, pieces are
/// short, and one follows as soon as the last one has come, if that met no other bytes, so the port is idle;
/// else a piece may have a twentieth of the time that it takes alone.
class Courtesy {
 public:
  bool permits(Instant now, bool training_waits) const {
    return !training_waits || now >= next_ || (is_idle_ && under_way_ == 0);
  }
  /// How long a piece may be while the training waits: it keeps the port for some milliseconds.
  std::uint64_t piece_bytes() const { return delays_.bytes_within(longest_hold); }
  /// A piece of `bytes` bytes is under way from `now` on.
  void note_piece(std::uint64_t bytes, Instant now) {
    ++under_way_;
    is_idle_ = false;
    next_ = now + share * std::clamp(delays_.alone(bytes), least, most);
  }
  /// A piece of `bytes` bytes has come, and was under way for so long.
  void note_delay(std::uint64_t bytes, Duration delay, Instant now) {
    note_end(1);
    const Duration alone = delays_.note(bytes, delay, now);
    is_idle_ = delay <= alone + alone / 2 + least;
  }
  /// So many pieces are not under way any more. They tell nothing of the port.
  void note_end(std::size_t pieces) { under_way_ -= std::min(pieces, under_way_); }

 private:
  static constexpr int share = 20;  // one part in so many
  static constexpr Duration longest_hold = std::chrono::milliseconds(5);
  static constexpr Duration least = std::chrono::milliseconds(1);
  static constexpr Duration most = std::chrono::seconds(1);

  PieceDelays delays_;
  std::size_t under_way_ = 0;
  bool is_idle_ = false;
  Instant next_ = Instant::min();  // when a piece may travel although others may be on their way
};

}  // namespace hearsay
