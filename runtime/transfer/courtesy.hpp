#pragma once

#include <algorithm>

#include "runtime/foundation/units.hpp"
#include "runtime/transfer/quickest_delay.hpp"

namespace hearsay {

/// When a piece may travel: at any time while the training waits for no message. While it does, one piece
/// after the other: at once if the last one met no other bytes, so the port is idle; else for a twentieth of
/// the time that the port needs for it.
class Courtesy {
 public:
  bool permits(Instant now, bool training_waits) const { return !training_waits || is_idle_ || now >= next_; }
  /// A piece is under way from `now` on.
  void note_piece(Instant now) {
    is_idle_ = false;
    next_ = now + share * std::clamp(alone_, least, most);
  }
  /// A piece was under way for so long.
  void note_delay(Duration delay, Instant now) {
    alone_ = quickest_.of(delay, now);
    is_idle_ = delay <= alone_ + alone_ / 2 + least;
  }

 private:
  static constexpr int share = 20;  // one part in so many
  static constexpr Duration least = std::chrono::milliseconds(1);
  static constexpr Duration most = std::chrono::seconds(1);

  QuickestDelay quickest_;
  Duration alone_ = std::chrono::milliseconds(10);  // that of a piece which met no other bytes
  bool is_idle_ = false;
  Instant next_ = Instant::min();  // when a piece may travel although others may be on their way
};

}  // namespace hearsay
