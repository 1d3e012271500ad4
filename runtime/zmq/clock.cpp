#include "runtime/zmq/clock.hpp"

#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

std::atomic<std::int64_t> lead_ns{0};  // lead of this process's clock over the kernel's

/// Converts `instant` to the clock of the kernel. Returns at least 1 ns.
timespec to_timespec(Instant instant) {
  const std::int64_t ns = std::max<std::int64_t>(instant.time_since_epoch().count() - lead_ns, 1);
  return {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
}

}  // namespace

Instant monotonic_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return Instant(Duration(std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec + lead_ns));
}

void leap_forward(Duration by) { lead_ns += by.count(); }

std::uint32_t incarnation_of_process() {
  static const std::uint32_t started = [] {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint32_t>(std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000);
  }();
  return started;
}

void sleep_until(Instant instant) {
  const timespec until = to_timespec(instant);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

AbsoluteTimer::AbsoluteTimer() : fd_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {
  ensure(fd_ >= 0, "the kernel gives out timers");
}

AbsoluteTimer::~AbsoluteTimer() { close(fd_); }

void AbsoluteTimer::set(Instant instant) {
  if (instant == set_to_) return;
  set_to_ = instant;
  itimerspec setting{};
  // A time of zero would switch the timer off; to_timespec never returns it.
  if (instant != Instant::max()) setting.it_value = to_timespec(instant);
  timerfd_settime(fd_, TFD_TIMER_ABSTIME, &setting, nullptr);
}

void AbsoluteTimer::clear() {
  std::uint64_t expirations = 0;
  if (read(fd_, &expirations, sizeof expirations) == sizeof expirations) set_to_ = Instant::max();
}

}  // namespace hearsay
