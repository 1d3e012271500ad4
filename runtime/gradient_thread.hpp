#pragma once

#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/handover.hpp"

namespace hearsay {

/// Computes the gradients of a peer that must not stop listening meanwhile: one piece of work at a time, in a thread of its
/// own. Who gave the work is told by the work itself that it is done, and must let no exception out.
class GradientThread {
 public:
  GradientThread() : thread_([this] { serve(); }) {}
  GradientThread(const GradientThread&) = delete;
  GradientThread& operator=(const GradientThread&) = delete;
  /// Waits for the work that was given.
  ~GradientThread() {
    orders_.push({});
    thread_.join();
  }

  void give(std::function<void()> work) { orders_.push(std::move(work)); }

 private:
  void serve() {
    constexpr int forever = -1;
    std::vector<std::function<void()>> orders;
    for (;;) {
      orders_.wait(forever);
      orders_.drain(orders);
      for (const auto& work : orders) {
        if (!work) return;
        work();
      }
    }
  }

  Handover<std::function<void()>> orders_;
  std::thread thread_;  // last: it uses the queue
};

}  // namespace hearsay
