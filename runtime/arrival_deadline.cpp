#include "runtime/arrival_deadline.hpp"

#include <algorithm>

#include "runtime/long_wait.hpp"

namespace hearsay {

void ArrivalDeadline::heard(Instant now) {
  if (any_) longest_silence_ = std::max(longest_silence_, now - last_);
  last_ = any_ ? std::max(last_, now) : now;
  any_ = true;
}

/// Compared by division: a longest silence of years does not overflow.
bool ArrivalDeadline::is_measured() const {
  return longest_silence_ > lost_after_ / times_the_longest_silence &&
         longest_silence_ <= Duration::max() / times_the_longest_silence;
}

Duration ArrivalDeadline::limit() const {
  return is_measured() ? std::max(lost_after_, times_the_longest_silence * longest_silence_) : lost_after_;
}

std::string ArrivalDeadline::text() const {
  const std::string reason = is_measured() ? std::to_string(times_the_longest_silence) +
                                                 " x its longest silence so far, " + spoken(longest_silence_)
                                           : "failure.lost_after";
  return spoken(limit()) + " (" + reason + ")";
}

}  // namespace hearsay
