#pragma once

#include <string>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// How long a source may be silent before it is lost:
///
///     failure.lost_after <= 4 x the longest silence between two of its signs of life so far <= 2 x
///     failure.lost_after
///
/// so that a peer or a way to it that is slow at times, but has always come back, is not given up for what it
/// has done before; and one that will not come back costs no more than twice the one knob there is,
/// failure.lost_after. The silence that is still going on does not count. Pure.
class ArrivalDeadline {
 public:
  static constexpr int times_the_longest_silence = 4;
  static constexpr int times_lost_after = 2;  ///< at most

  explicit ArrivalDeadline(Duration lost_after) : lost_after_(lost_after) {}

  /// A sign of life came; instants do not decrease, those that do count as the latest so far.
  void heard(Instant now);
  /// The same, after a time in which nobody listened: that was no silence.
  void heard_anew(Instant now);

  Duration longest_silence() const { return longest_silence_; }
  Duration limit() const;
  /// What the limit is and why: "60 s (failure.lost_after)", "2 min (4 x its longest silence so far, 30 s)".
  std::string text() const;

 private:
  bool is_measured() const;

  Duration lost_after_;
  Duration longest_silence_{0};
  Instant last_{};
  bool any_ = false;
};

}  // namespace hearsay
