#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace hearsay {

/// Hears how many runs of a group have been read: `done` of `in_total`, of the group `name`.
using ReadingWatch = std::function<void(const std::string& name, std::size_t done, std::size_t in_total)>;

/// Tells of reading that takes long: after two seconds, then once a second, and at its end if it told before.
class ReadingProgress {
 public:
  using Clock = std::chrono::steady_clock;

  /// `say` shows a text, such as "sweep: 120 of 1000 runs are read"; `now` reads the clock.
  ReadingProgress(std::function<void(const std::string&)> say, std::function<Clock::time_point()> now);

  void show(const std::string& name, std::size_t done, std::size_t in_total);

 private:
  std::function<void(const std::string&)> say_;
  std::function<Clock::time_point()> now_;
  Clock::time_point next_;  ///< when it is told next
  bool told_ = false;
};

}  // namespace hearsay
