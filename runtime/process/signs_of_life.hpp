#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// Gives a sign of life every second while this process does something that may take minutes.
class SignsOfLife {
 public:
  explicit SignsOfLife(std::function<void()> give)
      : thread_([give = std::move(give)](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any woken;
          std::unique_lock lock(mutex);
          const auto never = [] { return false; };
          for (;;) {
            woken.wait_for(lock, stop, std::chrono::seconds(1), never);
            if (stop.stop_requested()) return;
            give();
          }
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace hearsay
