#pragma once

#include <atomic>
#include <functional>

#include "runtime/outcome.hpp"

namespace hearsay {

/// What the one who starts a run may see and do while it lasts.
struct RunControl {
  /// Called once per evaluation, in order.
  std::function<void(const Evaluation&)> on_evaluation = [](const Evaluation&) {};
  /// Set (by a signal handler, say) to end the run soon, with status interrupted.
  const std::atomic<bool>* interrupted = nullptr;
  /// Asked again and again by the process that computes; ends a run in the same way.
  std::function<bool()> out_of_patience = [] { return false; };

  bool is_interrupted() const {
    return (interrupted && interrupted->load(std::memory_order_relaxed)) || out_of_patience();
  }
};

}  // namespace hearsay
