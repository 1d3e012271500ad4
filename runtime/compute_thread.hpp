#pragma once

#include <exception>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/handover.hpp"

namespace hearsay {

/// Computes for a peer that must not stop listening meanwhile: one piece of work at a time, in a thread of its own.
class ComputeThread {
 public:
  ComputeThread() : thread_([this] { serve(); }) {}
  ComputeThread(const ComputeThread&) = delete;
  ComputeThread& operator=(const ComputeThread&) = delete;
  /// Waits for the work that was given.
  ~ComputeThread() {
    orders_.push({});
    thread_.join();
  }

  void begin(std::function<void()> work) { orders_.push(std::move(work)); }

  /// Readable once the work is done.
  int done_fd() const { return endings_.fd(); }
  /// Whether it is, which is told once. Throws what the work has thrown.
  bool is_done() {
    endings_.drain(drained_endings_);
    if (drained_endings_.empty()) return false;
    if (drained_endings_.front()) std::rethrow_exception(drained_endings_.front());
    return true;
  }

 private:
  void serve() {
    constexpr int forever = -1;
    std::vector<std::function<void()>> orders;
    for (;;) {
      orders_.wait(forever);
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
  std::thread thread_;  // last: it uses the queues
};

}  // namespace hearsay
