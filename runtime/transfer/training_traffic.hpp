#pragma once

#include <atomic>

namespace hearsay {

/// Whether the peer of this process waits for messages of the method. The thread of the peer says so, that of
/// the observer asks.
class TrainingTraffic {
 public:
  /// The peer waits as long as this lives.
  class Wait {
   public:
    Wait(TrainingTraffic& traffic, bool for_messages) : traffic_(traffic) { traffic_.set(for_messages); }
    ~Wait() { traffic_.set(false); }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    TrainingTraffic& traffic_;
  };

  bool is_awaited() const { return is_awaited_.load(std::memory_order_relaxed); }

 private:
  void set(bool is_awaited) { is_awaited_.store(is_awaited, std::memory_order_relaxed); }

  std::atomic<bool> is_awaited_ = false;
};

}  // namespace hearsay
