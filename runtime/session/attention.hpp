#pragma once

#include <algorithm>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// Since when this process has listened without a break. A break is a time in which the process was stopped
/// (Ctrl-Z), its machine was suspended, or the clock leapt. No other peer counts as silent during a break.
class Attention {
 public:
  /// Only silences of `lost_after` and more matter, so breaks up to half of that (at least 500 ms) are
  /// ignored.
  explicit Attention(Duration lost_after)
      : longest_break_(std::max<Duration>(lost_after / 2, std::chrono::milliseconds(500))) {}

  /// Call this several times a second: a longer time between two calls counts as a break.
  void look(Instant now) {
    if (now - looked_at_ > longest_break_) since_ = now;
    looked_at_ = now;
  }
  /// The end of the last break.
  Instant since() const { return since_; }

 private:
  Duration longest_break_;
  Instant looked_at_{};
  Instant since_{};
};

}  // namespace hearsay
