#include "runtime/network/hold_queue.hpp"

#include <doctest/doctest.h>

namespace hearsay::hold_queue_test {

using namespace std::chrono_literals;

namespace {

const Bandwidth slow{1e6};  // a byte a microsecond

HoldQueue::Held frame(Duration due, PeerId sender, std::uint64_t sequence, std::uint64_t bytes) {
  return {Instant(due), sequence, bytes, slow, {1, 0, sender}, {}};
}

std::vector<PeerId> released(HoldQueue& queue, Duration now) {
  std::vector<PeerId> senders;
  queue.release(Instant(now), [&](const HoldQueue::Held& held) { senders.push_back(held.key.sender); });
  return senders;
}

}  // namespace

TEST_CASE("hold queue: nothing is seen before it is due, and the queue knows when to be asked again") {
  HoldQueue queue(IngressPort({}, Framing::none));
  CHECK(queue.next() == Instant::max());
  queue.add(frame(5ms, 1, 0, 100));
  queue.add(frame(3ms, 2, 0, 100));
  CHECK(queue.next() == Instant(3ms));
  CHECK(released(queue, 2ms).empty());
  CHECK(released(queue, 3ms) == std::vector<PeerId>{2});
  CHECK(queue.next() == Instant(5ms));
  CHECK(released(queue, 9ms) == std::vector<PeerId>{1});
  CHECK(queue.next() == Instant::max());
}

TEST_CASE(
    "hold queue: frames due at once are ordered by sender, then by sequence, whatever the order of arrival") {
  HoldQueue queue(IngressPort({}, Framing::none));
  queue.add(frame(1ms, 3, 0, 1));
  queue.add(frame(1ms, 1, 1, 1));
  queue.add(frame(1ms, 1, 0, 1));
  std::vector<std::pair<PeerId, std::uint64_t>> order;
  queue.release(Instant(1ms),
                [&](const HoldQueue::Held& held) { order.emplace_back(held.key.sender, held.sequence); });
  CHECK(order == std::vector<std::pair<PeerId, std::uint64_t>>{{1, 0}, {1, 1}, {3, 0}});
}

TEST_CASE("hold queue: two frames that are due together share the ingress port") {
  // 1,000 bytes at a byte a microsecond: each needs the port for 1 ms, and both are due at 10 ms.
  HoldQueue queue(IngressPort(slow, Framing::none));
  queue.add(frame(10ms, 1, 0, 1000));
  queue.add(frame(10ms, 2, 0, 1000));
  CHECK(released(queue, 10ms) == std::vector<PeerId>{1});
  CHECK(queue.next() == Instant(11ms));
  CHECK(released(queue, 11ms) == std::vector<PeerId>{2});
}

}  // namespace hearsay::hold_queue_test
