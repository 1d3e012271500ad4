#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

enum class EventKind : std::uint8_t {
  due,
  release,
  gradient,
  round_deadline,
  verdict,
  evaluation_due,
  evaluation_release
};

/// Something that happens in virtual time.
struct Event {
  Instant at;
  PeerId peer;          ///< whom it happens to; 0 for a verdict, which all peers hear
  std::uint32_t place;  ///< of the frame in flight, or of the verdict; 0 if there is neither
  EventKind kind;

  /// True if nothing but its peer has a part in it, and a frame on the way to that peer.
  bool is_of_one_peer() const { return kind <= EventKind::gradient; }
};

/// Returns events in the order of their times; events with the same time in the order in which they were
/// scheduled.
///
/// If the peers are alike, thousands of events have the same time and are scheduled one after the other. So
/// the queue sorts batches of events with the same time instead of single events. A few batches are open: an
/// event whose time is that of an open batch is appended to it, at a cost that does not grow with the number
/// of peers. For each time at most one batch is open, and of two batches with the same time the older one
/// comes first. So the order is the same as if events were sorted singly.
class EventQueue {
 public:
  bool empty() const { return sorted_.empty(); }

  void schedule(const Event& event) {
    for (const std::uint32_t place : open_)
      if (place != none && batches_[place].at == event.at) return batches_[place].events.push_back(event);
    const std::uint32_t place = free_batch();
    batches_[place].at = event.at;
    batches_[place].events.push_back(event);
    sorted_.push({event.at, next_number_++, place});
    open_[next_open_] = place;
    next_open_ = (next_open_ + 1) % open_.size();
  }

  /// Returns the next event. The queue must not be empty.
  const Event& next() const {
    const Batch& batch = batches_[sorted_.top().place];
    return batch.events[batch.begun];
  }

  /// Removes and returns the next event. The queue must not be empty.
  Event pop() {
    const Event event = next();
    pass(1);
    return event;
  }

  /// Removes events of one peer each, and appends them to `taken`: the next ones, as long as they have the
  /// same time, and at most `most`. The next event must be one of them.
  void take(std::size_t most, std::vector<Event>& taken) {
    const Batch& batch = batches_[sorted_.top().place];
    const auto first = batch.events.begin() + static_cast<std::ptrdiff_t>(batch.begun);
    const auto limit = first + static_cast<std::ptrdiff_t>(std::min(most, batch.events.size() - batch.begun));
    const auto last = std::find_if(first, limit, [](const Event& event) { return !event.is_of_one_peer(); });
    taken.insert(taken.end(), first, last);
    pass(static_cast<std::size_t>(last - first));
  }

 private:
  struct Batch {
    Instant at;
    std::vector<Event> events;
    std::size_t begun = 0;
  };
  struct Entry {
    Instant at;
    std::uint64_t number;
    std::uint32_t place;
  };
  struct Later {
    bool operator()(const Entry& a, const Entry& b) const {
      return a.at != b.at ? a.at > b.at : a.number > b.number;
    }
  };
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Passes so many events of the first batch.
  void pass(std::size_t count) {
    const std::uint32_t place = sorted_.top().place;
    Batch& batch = batches_[place];
    batch.begun += count;
    if (batch.begun < batch.events.size()) return;
    sorted_.pop();
    batch.events.clear();
    batch.begun = 0;
    free_.push_back(place);
    for (std::uint32_t& open : open_)
      if (open == place) open = none;
  }

  std::uint32_t free_batch() {
    if (free_.empty()) {
      batches_.emplace_back();
      return static_cast<std::uint32_t>(batches_.size() - 1);
    }
    const std::uint32_t place = free_.back();
    free_.pop_back();
    return place;
  }

  std::vector<Batch> batches_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<Entry, std::vector<Entry>, Later> sorted_;
  std::array<std::uint32_t, 4> open_ = {none, none, none, none};
  std::size_t next_open_ = 0;
  std::uint64_t next_number_ = 0;
};

}  // namespace hearsay
