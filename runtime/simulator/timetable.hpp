#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// What is to happen in virtual time. Events happen in the order of their instants; those of one instant, in
/// the order in which they were entered.
class Timetable {
 public:
  Instant now() const { return now_; }
  void at(Instant when, std::function<void()> happens) {
    events_.push({std::max(when, now_), next_number_++, std::move(happens)});
  }
  bool empty() const { return events_.empty(); }
  /// Lets the next event happen. There must be one.
  void step() {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    event.happens();
  }

 private:
  struct Event {
    Instant at;
    std::uint64_t number;
    std::function<void()> happens;
  };
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.at != b.at ? a.at > b.at : a.number > b.number;
    }
  };

  Instant now_{};
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t next_number_ = 0;
};

}  // namespace hearsay
