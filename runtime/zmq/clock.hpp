#pragma once

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// Returns the time of CLOCK_MONOTONIC. All processes of a machine share this clock, so they can compare due
/// times.
Instant monotonic_now();

/// For tests: advances the clock of this process by `by`, as after a pause of its machine. Not for runs whose
/// peers share the clock of one machine.
void leap_forward(Duration by);

/// Returns a number that tells this process from an earlier one with the same peer id: the lower 32 bits of
/// the wall clock in ms at the first call. (The monotonic clock would start again at a reboot.)
std::uint32_t incarnation_of_process();

/// Returns at `instant` or soon after.
void sleep_until(Instant instant);

/// A timer that makes a file descriptor readable at an absolute instant (timerfd). The timeouts of zmq_poll
/// are whole milliseconds, which would cost a ring all-reduce a fifth of its time.
class AbsoluteTimer {
 public:
  AbsoluteTimer();
  AbsoluteTimer(const AbsoluteTimer&) = delete;
  AbsoluteTimer& operator=(const AbsoluteTimer&) = delete;
  ~AbsoluteTimer();

  int fd() const { return fd_; }
  /// Makes the descriptor readable at `instant`; Instant::max() switches the timer off. Setting the same
  /// instant again costs nothing.
  void set(Instant instant);
  /// Acknowledges an expiry: the descriptor is no longer readable. Does nothing if the timer has not expired.
  void clear();

 private:
  int fd_;
  Instant set_to_ = Instant::max();
};

}  // namespace hearsay
