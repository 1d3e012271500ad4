#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <vector>

#include "runtime/foundation/units.hpp"

namespace hearsay {

enum class EventKind { due, release, gradient, round_deadline, verdict, evaluation_due, evaluation_release };

/// Something that happens in virtual time.
struct Event {
  Instant at;
  EventKind kind;
  std::uint32_t subject;  ///< (evaluation_)due, release: place of the frame; gradient, round_deadline: the
                          ///< peer; verdict: its number
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

  /// Returns the event so many places after the next one, if all of them have the same time; else null.
  const Event* after_next(std::size_t places) const {
    if (empty()) return nullptr;
    const Batch& batch = batches_[sorted_.top().place];
    return batch.begun + places < batch.events.size() ? &batch.events[batch.begun + places] : nullptr;
  }

  /// Removes and returns the next event. The queue must not be empty.
  Event pop() {
    const std::uint32_t place = sorted_.top().place;
    Batch& batch = batches_[place];
    const Event event = batch.events[batch.begun++];
    if (batch.begun == batch.events.size()) {
      sorted_.pop();
      batch.events.clear();
      batch.begun = 0;
      free_.push_back(place);
      for (std::uint32_t& open : open_)
        if (open == place) open = none;
    }
    return event;
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
