#pragma once

#include <deque>
#include <optional>
#include <queue>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/network/link.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// The frames that have arrived over the real network, but not yet over the emulated one. Pure: it is given
/// the time. A frame passes two stages: it becomes due, then the ingress port releases it. Frames are
/// released in the order of due times (ties by sender, then sequence), as `IngressPort` requires.
class HoldQueue {
 public:
  struct Held {
    Instant due;
    std::uint64_t sequence;
    std::uint64_t frame_bytes;
    ArrivalRate arrival;
    MessageKey key;
    PacketRef packet;
    MessageMetadata metadata = {};
    // Set once the frame is due: when the port receives it, and when the peer gets it.
    Instant begin = {};
    Instant end = {};
    Instant release = {};
    std::optional<FrameHeader> word = {};  ///< the header, if it is a frame of an evaluation
  };

  explicit HoldQueue(IngressPort ingress) : ingress_(std::move(ingress)) {}

  /// The run begins. Must be called before a frame is added.
  void begin(Instant start_of_run) { ingress_.begin(start_of_run); }
  void add(Held frame) { waiting_.push(std::move(frame)); }
  std::size_t size() const { return waiting_.size() + released_.size(); }

  /// Calls visit(held) for every frame that is released by `now`, in order of release, and removes it.
  template <class Visit>
  void release(Instant now, const Visit& visit) {
    while (!waiting_.empty() && waiting_.top().due <= now) {
      Held first = waiting_.top();
      waiting_.pop();
      first.release = ingress_.release(first.due, first.frame_bytes, first.arrival);
      first.begin = ingress_.began();
      first.end = ingress_.ended();
      released_.push_back(std::move(first));
    }
    while (!released_.empty() && released_.front().release <= now) {
      visit(released_.front());
      released_.pop_front();
    }
  }

  /// Returns when `release` must be called next; Instant::max() if no frame is held.
  Instant next() const {
    Instant instant = Instant::max();
    if (!released_.empty()) instant = released_.front().release;
    if (!waiting_.empty()) instant = std::min(instant, waiting_.top().due);
    return instant;
  }

 private:
  struct Later {
    bool operator()(const Held& a, const Held& b) const {
      if (a.due != b.due) return a.due > b.due;
      if (a.key.sender != b.key.sender) return a.key.sender > b.key.sender;
      return a.sequence > b.sequence;
    }
  };

  IngressPort ingress_;
  std::priority_queue<Held, std::vector<Held>, Later> waiting_;
  std::deque<Held> released_;
};

}  // namespace hearsay
