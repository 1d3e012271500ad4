#include "runtime/simulator/event_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay::event_queue_test {

TEST_CASE(
    "event queue: events come by time, and of one time as they were scheduled, whatever comes between") {
  for (const std::uint64_t times : {1, 3, 7, 50, 100'000}) {
    CAPTURE(times);
    RandomStream random(times, 0, 0, Purpose::network);
    EventQueue queue;
    std::vector<Event> expected;  // the content of the queue, sorted
    Instant now{};
    for (std::uint32_t number = 0; number < 20'000; ++number) {
      if (random.below(3) != 0 || expected.empty()) {
        const Event event = {now + Duration(random.below(times)), EventKind::due, number};
        queue.schedule(event);
        expected.insert(std::ranges::upper_bound(expected, event.at, {}, &Event::at), event);
      } else {
        const Event event = queue.pop();
        REQUIRE(event.at == expected.front().at);
        REQUIRE(event.subject == expected.front().subject);
        now = event.at;
        expected.erase(expected.begin());
      }
    }
    for (const Event& event : expected) REQUIRE(queue.pop().subject == event.subject);
    CHECK(queue.empty());
  }
}

TEST_CASE("event queue: what comes after the next event is known as far as the times are equal") {
  EventQueue queue;
  CHECK(queue.after_next(0) == nullptr);
  for (std::uint32_t number = 0; number < 5; ++number)
    queue.schedule({Instant{} + Duration(number < 3 ? 10 : 20), EventKind::gradient, number});
  for (std::uint32_t number = 0; number < 5; ++number) {
    for (std::uint32_t places = 0; places < 4; ++places) {
      const Event* const event = queue.after_next(places);
      const bool is_of_same_time = number + places < (number < 3 ? 3 : 5);
      REQUIRE((event != nullptr) == is_of_same_time);
      if (event) CHECK(event->subject == number + places);
    }
    queue.pop();
  }
}

}  // namespace hearsay::event_queue_test
