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
  /// Lets events happen until `is_over()`, or until the next one is not before `limit`, or there is none.
  /// Returns whether it is over.
  template <class IsOver>
  bool run(Instant limit, const IsOver& is_over) {
    while (!is_over()) {
      if (events_.empty() || events_.top().at >= limit) return false;
      step();
    }
    return true;
  }

 private:
  void step() {
    const Event event = events_.top();
    events_.pop();
    now_ = event.at;
    event.happens();
  }

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
