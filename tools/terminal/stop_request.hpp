#pragma once

#include <atomic>

namespace hearsay {

/// What SIGINT, SIGTERM and SIGHUP have asked of the command that runs. Signal handlers set the first two.
struct StopRequest {
  std::atomic<bool> interrupted{false};     ///< end the run in good order
  std::atomic<bool> asked_to_leave{false};  ///< end this process, not the run
  /// True as soon as the command looks at the two above. Until then, while it loads data, there is nothing to
  /// close: a signal ends the process at once.
  std::atomic<bool> is_heeded{false};
};

static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may set it");

}  // namespace hearsay
