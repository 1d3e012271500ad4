#pragma once

#include <cstdint>

#include "runtime/foundation/availability.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/peer/peer.hpp"

namespace hearsay {

/// When the rounds of a hub are over (topology.round_deadline), by whichever clock its driver has.
class RoundClock {
 public:
  /// `deadline`: how long a round may take; 0: as long as it takes.
  explicit RoundClock(Duration deadline) : deadline_(deadline) {}

  /// The hub has begun iteration `round`, at `now` if that is news. True if it is, and the round has a
  /// deadline. The deadline counts the time that the hub is there.
  bool note(std::uint64_t round, Instant now, const Availability& hub, Instant start_of_run) {
    if (deadline_ == Duration{0} || round == round_) return false;
    round_ = round;
    over_at_ = start_of_run + hub.been_there(deadline_, now - start_of_run);
    return true;
  }
  Instant over_at() const { return over_at_; }
  /// If the time of the hub's round is over, the hub goes on with the answers that it has. True if so.
  template <class Scalar>
  bool close_if_over(Peer<Scalar>& hub, Instant now) const {
    const bool is_over = hub.may_close_round() && now >= over_at_;
    if (is_over) hub.close_round();
    return is_over;
  }

 private:
  Duration deadline_;
  std::uint64_t round_ = 0;
  Instant over_at_ = Instant::max();
};

}  // namespace hearsay
