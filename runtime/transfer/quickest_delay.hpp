#pragma once

#include <algorithm>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// The quickest of the delays of the last five to ten minutes: that of a piece which no other bytes kept
/// waiting. It is forgotten in time, since the way to the other end may change.
class QuickestDelay {
 public:
  /// Takes in a delay; returns the quickest, which may be this one.
  Duration of(Duration delay, Instant now) {
    if (period_began_ == Instant::min()) period_began_ = now;
    if (now - period_began_ >= period) {
      period_began_ = now;
      before_ = in_period_;
      in_period_ = Duration::max();
    }
    in_period_ = std::min(in_period_, delay);
    return quickest();
  }
  /// Returns the quickest delay when the last one was taken in; Duration::max() if none was.
  Duration quickest() const { return std::min(in_period_, before_); }
  bool is_known() const { return quickest() != Duration::max(); }

 private:
  static constexpr Duration period = std::chrono::minutes(5);

  Instant period_began_ = Instant::min();
  Duration in_period_ = Duration::max();
  Duration before_ = Duration::max();  // in the period before
};

}  // namespace hearsay
