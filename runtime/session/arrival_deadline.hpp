#pragma once

#include <string>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// A failure detector's timeout for one source: how long the source may be silent before it counts as lost.
///
///     limit = clamp(4 x longest silence so far, failure.lost_after, 2 x failure.lost_after)
///
/// A silence is the time between two signs of life (frames of any kind); the current one does not count. The
/// limit grows with the longest silence, so that a source with a slow link is not lost for a pause that it
/// has survived before. The upper bound limits what a dead source costs. Pure.
class ArrivalDeadline {
 public:
  static constexpr int times_the_longest_silence = 4;
  static constexpr int times_lost_after = 2;  ///< upper bound of the limit, in multiples of lost_after

  explicit ArrivalDeadline(Duration lost_after) : lost_after_(lost_after) {}

  /// A sign of life came at `now`. An instant before the latest one counts as the latest one.
  void heard(Instant now);
  /// The same, but the time since the last sign of life does not count as silence: this process did not
  /// listen meanwhile.
  void heard_anew(Instant now);

  /// The longest silence that is still tolerated.
  Duration limit() const;
  /// The limit and its reason: "60 s (failure.lost_after)", "2 min (4 x its longest silence so far, 30 s)".
  std::string text() const;

 private:
  /// True if the limit follows from the longest silence; false if it is lost_after.
  bool is_measured() const;

  Duration lost_after_;
  Duration longest_silence_{0};
  Instant last_{};    // the latest sign of life, if there was any
  bool any_ = false;  // whether there was any
};

}  // namespace hearsay
