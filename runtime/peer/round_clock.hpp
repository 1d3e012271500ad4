#pragma once

#include <cstdint>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// When the rounds of a hub are over (topology.round_deadline), by whichever clock its driver has.
class RoundClock {
 public:
  /// `deadline`: how long a round may take; 0: as long as it takes.
  explicit RoundClock(Duration deadline) : deadline_(deadline) {}

  /// The hub has begun iteration `round`, at `now` if that is news. True if it is, and the round has a
  /// deadline.
  bool note(std::uint64_t round, Instant now) {
    if (deadline_ == Duration{0} || round == round_) return false;
    round_ = round;
    over_at_ = now + deadline_;
    return true;
  }
  Instant over_at() const { return over_at_; }

 private:
  Duration deadline_;
  std::uint64_t round_ = 0;
  Instant over_at_ = Instant::max();
};

}  // namespace hearsay
