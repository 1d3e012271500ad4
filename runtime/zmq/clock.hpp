#pragma once

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// CLOCK_MONOTONIC, which is the same for all processes of a machine: they can compare due times.
Instant monotonic_now();

/// For tests: sets this process's clock ahead of the kernel's by `by` more, as after a pause of its machine.
/// Not to be used in a run whose peers share one machine's clock.
void leap_forward(Duration by);

/// Distinguishes this process from another one under the same name. It is the wall clock at the first call in
/// milliseconds, which differs after a reboot, too.
std::uint32_t incarnation_of_process();

/// Returns at `instant` or soon after.
void sleep_until(Instant instant);

/// A timer that makes a file descriptor readable at an absolute instant (timerfd): zmq_poll's own timeouts
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
  /// Acknowledges an expiry: the descriptor is no longer readable.
  void clear();

 private:
  int fd_;
  Instant set_to_ = Instant::max();
};

}  // namespace hearsay
