#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/process/handover.hpp"

namespace hearsay {

/// A worker thread, which computes one piece of work at a time while the peer's own thread serves the
/// sockets.
class ComputeThread {
 public:
  ComputeThread() : thread_([this] { serve(); }) {}
  ComputeThread(const ComputeThread&) = delete;
  ComputeThread& operator=(const ComputeThread&) = delete;
  /// Waits for the work that was begun.
  ~ComputeThread() {
    orders_.push({});
    thread_.join();
  }

  /// Begins `work` in the other thread. The caller calls `end` before it begins the next piece.
  void begin(std::function<void()> work) { orders_.push(std::move(work)); }

  /// A file descriptor that is readable once the work is done.
  int done_fd() const { return endings_.fd(); }
  bool is_done() {
    endings_.drain(drained_endings_);
    if (!drained_endings_.empty()) ending_ = drained_endings_.front();
    return ending_.has_value();
  }
  void wait() {
    while (!is_done()) endings_.wait();
  }
  /// Ends a piece of work that is done. Throws what the work has thrown, if anything.
  void end() {
    if (const std::exception_ptr failure = *std::exchange(ending_, std::nullopt))
      std::rethrow_exception(failure);
  }

 private:
  void serve() {
    std::vector<std::function<void()>> orders;
    for (;;) {
      orders_.wait();
      orders_.drain(orders);
      for (const auto& work : orders) {
        if (!work) return;
        std::exception_ptr failure;
        try {
          work();
        } catch (...) {
          failure = std::current_exception();
        }
        endings_.push(std::move(failure));
      }
    }
  }

  Handover<std::function<void()>> orders_;
  Handover<std::exception_ptr> endings_;
  std::vector<std::exception_ptr> drained_endings_;
  std::optional<std::exception_ptr> ending_;  // empty: the work is not done; null: done without an exception
  std::thread thread_;                        // last: it uses the queues
};

}  // namespace hearsay
