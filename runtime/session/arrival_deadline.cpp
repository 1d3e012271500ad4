#include "runtime/session/arrival_deadline.hpp"

#include <algorithm>

#include "runtime/session/long_wait.hpp"

namespace hearsay {

void ArrivalDeadline::heard(Instant now) {
  if (any_) longest_silence_ = std::max(longest_silence_, now - last_);
  heard_anew(now);
}

void ArrivalDeadline::heard_anew(Instant now) {
  last_ = any_ ? std::max(last_, now) : now;
  any_ = true;
}

/// Divides instead of multiplying, so that a silence of centuries does not overflow.
bool ArrivalDeadline::is_measured() const {
  return longest_silence_ > lost_after_ / times_the_longest_silence &&
         longest_silence_ <= Duration::max() / times_the_longest_silence;
}

Duration ArrivalDeadline::limit() const {
  if (!is_measured()) return lost_after_;
  return std::min(times_lost_after * lost_after_, times_the_longest_silence * longest_silence_);
}

std::string ArrivalDeadline::text() const {
  const bool at_most = is_measured() && limit() < times_the_longest_silence * longest_silence_;
  const std::string reason = !is_measured() ? "failure.lost_after"
                             : at_most      ? std::to_string(times_lost_after) + " x failure.lost_after"
                                            : std::to_string(times_the_longest_silence) +
                                             " x its longest silence so far, " + spoken(longest_silence_);
  return spoken(limit()) + " (" + reason + ")";
}

}  // namespace hearsay
