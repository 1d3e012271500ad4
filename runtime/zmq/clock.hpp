#pragma once

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// CLOCK_MONOTONIC: the same for all processes of a machine, so a due time may be compared between them.
Instant monotonic_now();

/// For tests: this process's clock is ahead of the kernel's by so much more from now on, as after a pause of its machine.
/// Not within a run whose peers share one machine's clock.
void leap_forward(Duration by);

/// Tells this process from another one under the same name: milliseconds of the wall clock at the first call, which also
/// differ after a reboot.
std::uint32_t incarnation_of_process();

/// Returns at `instant` or soon after.
void sleep_until(Instant instant);

/// A timer that makes a file descriptor readable at an absolute instant (timerfd): zmq_poll's own timeouts are whole
/// milliseconds, which costs a ring all-reduce a fifth of its time.
class AbsoluteTimer {
 public:
  AbsoluteTimer();
  AbsoluteTimer(const AbsoluteTimer&) = delete;
  AbsoluteTimer& operator=(const AbsoluteTimer&) = delete;
  ~AbsoluteTimer();

  int fd() const { return fd_; }
  /// Readable at `instant`; Instant::max() switches it off. Setting it again to the same instant costs nothing.
  void set(Instant instant);
  /// Takes note of an expiry, so that the descriptor is no longer readable.
  void clear();

 private:
  int fd_;
  Instant set_to_ = Instant::max();
};

}  // namespace hearsay
