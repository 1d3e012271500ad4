#pragma once

#include <algorithm>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// Since when this process has listened without a break. A break is a time in which the process was stopped
/// (Ctrl-Z), its machine was suspended, or the clock leapt. No other peer counts as silent during a break.
class StallDetector {
 public:
  /// Only silences of `lost_after` and more matter, so breaks up to half of that (at least 500 ms) are
  /// ignored.
  explicit StallDetector(Duration lost_after)
      : shortest_stall_(std::max<Duration>(lost_after / 2, std::chrono::milliseconds(500))) {}

  /// Call this several times a second: a longer time between two calls counts as a break.
  void look(Instant now) {
    ensure(looked_at_ <= now, "time does not run backwards");
    if (now - looked_at_ > shortest_stall_) last_end_ = now;
    looked_at_ = now;
  }
  /// The end of the last break.
  Instant last_end() const { return last_end_; }

 private:
  Duration shortest_stall_;
  Instant looked_at_{};
  Instant last_end_{};
};

}  // namespace hearsay
