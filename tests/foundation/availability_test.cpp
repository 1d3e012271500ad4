#include "runtime/foundation/availability.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <utility>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/network/link.hpp"

namespace hearsay::availability_test {

using namespace std::chrono_literals;

namespace {

/// There for 3 ms, away for 2 ms, there for 5 ms at half the speed; then anew.
const Availability comes_and_goes({{0ms, 3ms}, {5ms, 10ms, 2.0}}, 10ms);

/// Returns times at which a peer is there that are as arbitrary as they come.
Availability drawn(RandomStream& random, bool is_slow) {
  std::vector<Availability::Stretch> stretches;
  Duration at{0};
  for (std::uint64_t count = 1 + random.below(random.below(2) == 0 ? 6 : 40); stretches.size() < count;) {
    at += Duration(random.below(4) == 0 ? 0 : random.below(3'000));
    const Duration end = at + Duration(1 + random.below(5'000));
    stretches.push_back({at, end, is_slow ? 0.25 + 4.0 * random.uniform() : 1.0});
    at = end;
  }
  return {std::move(stretches), at + Duration(random.below(4'000))};
}

/// A gradient of such a peer.
struct DrawnGradient {
  Availability peer;
  Duration begin;
  Duration takes;
  Duration end;

  DrawnGradient(RandomStream& random, bool is_slow)
      : peer(drawn(random, is_slow)),
        begin(random.below(100'000)),
        takes(1 + random.below(60'000)),
        end(peer.computed(takes, begin)) {}
};

}  // namespace

TEST_CASE("availability: a gradient across absences and slowdowns takes what a hand works out") {
  CHECK(comes_and_goes.computed(2ms, 0ms) == 2ms);
  CHECK(comes_and_goes.computed(3ms, 0ms) == 3ms);
  CHECK(comes_and_goes.computed(2ms, 2ms) == 7ms);           // 1 ms, away, 1 ms of work at half the speed
  CHECK(comes_and_goes.computed(2ms, 7ms) == 10ms + 500us);  // 1.5 ms of work until 10 ms
  CHECK(comes_and_goes.computed(1ms, 4ms) == 7ms);           // begun while it was away
  CHECK(comes_and_goes.computed(0ms, 4ms) == 4ms);
  CHECK(comes_and_goes.computed(5'500us, 0ms) == 10ms);  // all the work of a period
  CHECK(comes_and_goes.computed(5'500us + 1ns, 0ms) == 10ms + 1ns);
  CHECK(comes_and_goes.computed(5'500ms, 0ms) == 10s);  // of a thousand periods
  CHECK(comes_and_goes.computed(5'501ms, 20ms) == 10s + 21ms);
  CHECK(comes_and_goes.been_there(4ms, 0ms) == 6ms);  // no slowdown counts
  CHECK(comes_and_goes.share() == doctest::Approx(0.8));
}

TEST_CASE("availability: who is away is back when its next time begins, also in the next period") {
  const Availability late({{2ms, 3ms}, {4ms, 5ms}}, 10ms);
  CHECK(late.from(0ms) == 2ms);
  CHECK(late.from(2ms) == 2ms);
  CHECK(late.from(3ms) == 4ms);  // at the end of a stretch it is there no longer
  CHECK(late.from(4'999'999ns) == 4'999'999ns);
  CHECK(late.from(5ms) == 12ms);
  CHECK(late.from(-1ms) == 2ms);
  CHECK(late.from(1'000'005ms) == 1'000'012ms);
  CHECK(late.from(Instant{105ms}, Instant{100ms}) == Instant{112ms});
}

TEST_CASE("availability: of a peer that is always there no time differs from those without a trace") {
  const Availability always({{0s, 4s}, {4s, 10s}}, 10s);
  CHECK(always.unlimited());
  CHECK(always == Availability());
  CHECK(always.share() == 1.0);
  const Availability slow({{0s, 10s, 2.0}}, 10s);
  CHECK_FALSE(slow.unlimited());
  CHECK(slow.from(7s) == 7s);
  CHECK(slow.computed(3s, 7s) == 13s);
  CHECK(slow.presence(7s, 13s) == 6s);
}

TEST_CASE("availability: times that touch are one, and equal times are equal traces") {
  const Availability one({{1s, 5s}}, 10s);
  const Availability two({{1s, 2s}, {2s, 5s}}, 10s);
  CHECK(one == two);
  CHECK(two.stretches().size() == 1);
  CHECK_FALSE(one == Availability({{1s, 5s}}, 11s));
  CHECK_FALSE(one == Availability({{1s, 5s, 2.0}}, 10s));
}

TEST_CASE(
    "availability: a gradient ends once the peer has been there for as long as it takes, and no sooner") {
  RandomStream random(3, 0, 0, Purpose::data);
  for (int trial = 0; trial < 2'000; ++trial) {
    const auto [peer, begin, takes, end] = DrawnGradient(random, false);
    CHECK(peer.presence(begin, end) == takes);
    CHECK(peer.presence(begin, end - 1ns) == takes - 1ns);
    CHECK(peer.been_there(takes, begin) == end);
    CHECK(peer.computed(takes + 1ns, begin) > end);
    CHECK(peer.computed(takes, begin + 1ns) >= end);
    const Duration half = peer.computed(takes / 2, begin);  // in two parts as in one
    CHECK(peer.computed(takes - takes / 2, half) == end);
  }
}

TEST_CASE("availability: slowdowns keep order, and a gradient in two parts takes as long as in one") {
  RandomStream random(4, 0, 0, Purpose::data);
  for (int trial = 0; trial < 2'000; ++trial) {
    const auto [peer, begin, takes, end] = DrawnGradient(random, true);
    CHECK(peer.computed(takes + 5ns, begin) >= end);
    CHECK(peer.computed(takes, begin + 5ns) >= end);
    // A rounded instant may be the end of a stretch, or just before it, when the peer goes away.
    const Duration split = peer.computed(takes / 2, begin);
    const Duration again = peer.computed(takes - takes / 2, split);
    CHECK(std::abs((peer.presence(begin, again) - peer.presence(begin, end)).count()) <= 10);
  }
}

TEST_CASE("availability: the times at which a peer is there are those that are visited") {
  RandomStream random(5, 0, 0, Purpose::data);
  for (int trial = 0; trial < 500; ++trial) {
    const Availability peer = drawn(random, trial % 2 == 0);
    const Duration begin(random.below(50'000));
    const Duration end = begin + Duration(random.below(50'000));
    Duration sum{0};
    Duration last = begin;
    peer.visit(begin, end, [&](Duration from, Duration to) {
      CHECK(last <= from);
      CHECK(from < to);
      CHECK(to <= end);
      CHECK(peer.from(from) == from);
      sum += to - from;
      last = to;
    });
    CHECK(sum == peer.presence(begin, end));
  }
}

TEST_CASE("availability: the port of an absent peer sends and hands over nothing until it is back") {
  const Availability peer({{0ms, 3ms}, {5ms, 10ms}}, 10ms);
  const Bandwidth rate{1e6};  // 1,000 bytes in a millisecond
  Link link(1, 0, 1, LinkSettings{.latency = 1ms});
  EgressPort egress(rate, Framing::none, peer);
  CHECK(egress.send(Instant{0ms}, 1'000, link).due == Instant{2ms});
  CHECK(egress.send(Instant{2ms}, 2'000, link).due == Instant{5ms});  // what has begun is sent to its end
  CHECK(egress.send(Instant{2ms}, 1'000, link).due == Instant{7ms});  // begins at 5 ms
  CHECK(egress.send(Instant{12'500us}, 1'000, link).due == Instant{14'500us});
  CHECK(egress.send(Instant{13ms}, 1'000, link).due == Instant{17ms});

  IngressPort ingress(Bandwidth{}, Framing::none, peer);
  CHECK(ingress.release(Instant{1ms}, 100, {}) == Instant{1ms});
  CHECK(ingress.release(Instant{3ms}, 100, {}) == Instant{5ms});
  CHECK(ingress.release(Instant{4ms}, 100, {}) == Instant{5ms});
  CHECK(ingress.release(Instant{6ms}, 100, {}) == Instant{6ms});

  SendingTime sending(rate, Framing::none, peer);
  CHECK(sending.of(4ms, 1'000) == 1ms);
  CHECK(sending.through() == Instant{6ms});
}

TEST_CASE("availability: a port counts from the start of the run") {
  const Availability peer({{0ms, 3ms}}, 10ms);
  Link link(1, 0, 1, LinkSettings{});
  EgressPort egress(Bandwidth{}, Framing::none, peer);
  egress.begin(Instant{7ms});
  CHECK(egress.send(Instant{8ms}, 1, link).due == Instant{8ms});
  CHECK(egress.send(Instant{11ms}, 1, link).due == Instant{17ms});
  IngressPort ingress(Bandwidth{}, Framing::none, peer);
  ingress.begin(Instant{7ms});
  CHECK(ingress.release(Instant{11ms}, 1, {}) == Instant{17ms});
}

}  // namespace hearsay::availability_test
