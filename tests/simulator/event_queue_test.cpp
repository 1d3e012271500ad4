#include "runtime/simulator/event_queue.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

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
        const Event event = {now + Duration(random.below(times)), number, 0, EventKind::due};
        queue.schedule(event);
        expected.insert(std::ranges::upper_bound(expected, event.at, {}, &Event::at), event);
      } else {
        const Event event = queue.pop();
        REQUIRE(event.at == expected.front().at);
        REQUIRE(event.peer == expected.front().peer);
        now = event.at;
        expected.erase(expected.begin());
      }
    }
    for (const Event& event : expected) REQUIRE(queue.pop().peer == event.peer);
    CHECK(queue.empty());
  }
}

TEST_CASE("event queue: events of one peer each are taken together, as far as their times are equal") {
  EventQueue queue;
  const auto schedule = [&](int at, PeerId peer, EventKind kind) {
    queue.schedule({Instant{} + Duration(at), peer, 0, kind});
  };
  for (PeerId peer = 0; peer < 5; ++peer) schedule(peer < 3 ? 10 : 20, peer, EventKind::gradient);
  schedule(20, 0, EventKind::verdict);
  schedule(20, 5, EventKind::release);
  const auto taken = [&](std::size_t most) {
    std::vector<Event> events;
    queue.take(most, events);
    std::vector<PeerId> peers;
    for (const Event& event : events) peers.push_back(event.peer);
    return peers;
  };
  CHECK(taken(2) == std::vector<PeerId>{0, 1});
  schedule(10, 6, EventKind::due);
  CHECK(taken(9) == std::vector<PeerId>{2, 6});
  CHECK(taken(9) == std::vector<PeerId>{3, 4});
  CHECK(queue.pop().kind == EventKind::verdict);
  schedule(20, 7, EventKind::gradient);
  CHECK(taken(9) == std::vector<PeerId>{5, 7});
  CHECK(queue.empty());
}

}  // namespace hearsay::event_queue_test
