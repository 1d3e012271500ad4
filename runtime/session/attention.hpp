#pragma once

#include <algorithm>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// Since when a process has listened without a break. Nobody was silent while it did not listen: it was
/// stopped (Ctrl-Z), its machine stood still, or the clock leapt.
class Attention {
 public:
  /// Silence counts from `lost_after` on, so much shorter breaks do not matter.
  explicit Attention(Duration lost_after)
      : longest_break_(std::max<Duration>(lost_after / 2, std::chrono::milliseconds(500))) {}

  /// To be called several times a second.
  void look(Instant now) {
    if (now - looked_at_ > longest_break_) since_ = now;
    looked_at_ = now;
  }
  Instant since() const { return since_; }

 private:
  Duration longest_break_;
  Instant looked_at_{};
  Instant since_{};
};

}  // namespace hearsay
