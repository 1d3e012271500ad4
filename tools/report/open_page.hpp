#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "runtime/foundation/notice.hpp"

namespace hearsay {

/// Knows whether a browser has a live page open, and whether the page has been told of the end. Safe to use
/// from several threads.
class OpenPage {
 public:
  /// The page has asked for news, and was answered.
  void note_answer(bool tells_the_end);
  /// Waits until an open page has been told of the end, for ten seconds at most; a notice says so after two.
  /// Returns at once if no page is open.
  void wait_until_told(const Notice& notice);

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  std::condition_variable news_;
  std::optional<Clock::time_point> asked_;
  bool told_ = false;
};

}  // namespace hearsay
