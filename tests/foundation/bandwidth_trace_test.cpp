#include "runtime/foundation/bandwidth_trace.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/network/link.hpp"

namespace hearsay::bandwidth_trace_test {

using namespace std::chrono_literals;

namespace {

constexpr double unlimited = std::numeric_limits<double>::infinity();
constexpr double mbit = 125'000.0;  // bytes per second
constexpr Instant at(Duration since_start) { return Instant{since_start}; }

/// Alternates between a millisecond at 10 Mbit/s (800 ns a byte, 1,250 bytes) and a millisecond at 1 Mbit/s
/// (8 us a byte, 125 bytes).
const BandwidthTrace fast_and_slow({{0ms, 10 * mbit}, {1ms, 1 * mbit}});

}  // namespace

TEST_CASE("bandwidth trace: a frame across a change of rate takes the sum, as worked out by hand") {
  // 625 bytes in the rest of the fast millisecond, 125 in the slow one, 1,250 in the next period.
  CHECK(fast_and_slow.end_of(2'000, 500us) == 2ms + 1'250 * 800ns);
  CHECK(fast_and_slow.end_of(625, 500us) == 1ms);
  CHECK(fast_and_slow.end_of(626, 500us) == 1ms + 8us);
  CHECK(fast_and_slow.end_of(700, 500us) == 1ms + 75 * 8us);
  CHECK(fast_and_slow.end_of(750, 500us) == 2ms);
  CHECK(fast_and_slow.end_of(751, 500us) == 2ms + 800ns);
  CHECK(fast_and_slow.end_of(0, 700us) == 700us);
  // The last row lasts as long as the row before it. 1,375,001 bytes are a thousand periods and a byte.
  CHECK(fast_and_slow.period() == 2ms);
  CHECK(fast_and_slow.end_of(1'375'001, 0ms) == 2s + 800ns);
  CHECK(fast_and_slow.end_of(1, 2s) == 2s + 800ns);
  CHECK(fast_and_slow.end_of(1, 1s + 1ms) == 1s + 1ms + 8us);
  CHECK(fast_and_slow.mean_bytes_per_s() == doctest::Approx(687'500.0));
}

TEST_CASE("bandwidth trace: what ends at an instant began as long before as its bytes take") {
  CHECK(fast_and_slow.start_of(2'000, 3ms) == 500us);
  CHECK(fast_and_slow.start_of(625, 1ms) == 500us);
  CHECK(fast_and_slow.start_of(126, 2ms) == 1ms - 800ns);
  RandomStream random(1, 0, 0, Purpose::data);
  for (int trial = 0; trial < 1'000; ++trial) {
    const Duration start(random.below(10'000'000));
    const std::uint64_t bytes = random.below(20'000);
    const Duration end = fast_and_slow.end_of(bytes, start);
    // Both results are rounded; half a nanosecond at the fast rate is 5 ns at the slow rate.
    CHECK(std::abs((fast_and_slow.start_of(bytes, end) - start).count()) <= 10);
  }
}

TEST_CASE("bandwidth trace: nothing gets through an outage, and all at once where there is no limit") {
  const BandwidthTrace outage({{0ms, 10 * mbit}, {1ms, 0.0}, {3ms, unlimited}, {4ms, 1 * mbit}});
  CHECK(outage.end_of(1'250, 0ms) == 1ms);
  CHECK(outage.end_of(1'251, 0ms) == 3ms);
  CHECK(outage.end_of(1'000'000'000, 2ms) == 3ms);
  CHECK(outage.end_of(10, 3500us) == 3500us);
  CHECK(outage.end_of(10, 4ms) == 4ms + 80us);
  CHECK(outage.start_of(1, 3ms) == 1ms - 800ns);
}

TEST_CASE("bandwidth trace: one that does not change is the constant bandwidth, to the bit") {
  RandomStream random(2, 0, 0, Purpose::data);
  for (int trial = 0; trial < 300; ++trial) {
    const Bandwidth rate{1.0 + 1e9 * random.uniform()};
    for (const auto& rows :
         {std::vector<BandwidthTrace::Row>{{0ms, rate.bytes_per_s}},
          std::vector<BandwidthTrace::Row>{
              {0ms, rate.bytes_per_s}, {7ms, rate.bytes_per_s}, {9ms, rate.bytes_per_s}}}) {
      const BandwidthTrace trace(rows);
      const std::uint64_t bytes = random.below(100'000'000);
      const Duration now(random.below(1'000'000'000'000));
      CHECK(trace.end_of(bytes, now) == now + rate.time_for(bytes));
      CHECK(trace.start_of(bytes, now) == now - rate.time_for(bytes));
      CHECK(trace.period() == 0ms);
    }
  }
}

TEST_CASE("bandwidth trace: bytes go through one after the other, as if they were one frame") {
  RandomStream random(3, 0, 0, Purpose::data);
  for (int trial = 0; trial < 300; ++trial) {
    const Duration start(random.below(5'000'000));
    const std::uint64_t first = random.below(5'000);
    const std::uint64_t second = random.below(5'000);
    const Duration between = fast_and_slow.end_of(first, start);
    const Duration error =
        fast_and_slow.end_of(second, between) - fast_and_slow.end_of(first + second, start);
    CHECK(std::abs(error.count()) <= 10);
  }
}

TEST_CASE("bandwidth trace: a frame nobody waits for the end of takes thirty years, not an overflow") {
  const BandwidthTrace slow({{0ms, 1e-6}, {1ms, 2e-6}});
  CHECK(slow.end_of(std::numeric_limits<std::uint64_t>::max(), 1s) ==
        1s + Duration{1'000'000'000'000'000'000});
}

TEST_CASE(
    "link: ports with a trace count from the begin of the run, and an equal port releases as frames come") {
  for (const Duration begin : {0ms, 12'345'678ms}) {
    EgressPort egress(PortRate({}, fast_and_slow), Framing::none);
    IngressPort ingress(Bandwidth{}, Framing::none);
    egress.begin(at(begin));
    ingress.begin(at(begin));
    Link link(1, 0, 1, {.latency = 5ms});
    // The port sends 2,000 bytes from 0.5 ms on, and 10 more once it is free.
    const Departure first = egress.send(at(begin + 500us), 2'000, link);
    CHECK(first.due == at(begin + 3ms + 5ms));
    CHECK(egress.send(at(begin + 600us), 10, link).due == at(begin + 3ms + 80us + 5ms));
    const ArrivalRate fed(PortRate({}, fast_and_slow), {}, 5ms);
    CHECK(ingress.release(first.due, 2'000, fed) == first.due);
  }
}

TEST_CASE("link: an ingress with a trace takes what its own rate is when the first byte comes") {
  IngressPort ingress(PortRate({}, fast_and_slow), Framing::none);
  // 1,000 bytes come at 10 Mbit/s, the first at 0.6 ms. The port takes 500 until 1 ms, 125 until 2 ms, then
  // 375.
  CHECK(ingress.release(at(1'400us), 1'000, Bandwidth{10 * mbit}) == at(2ms + 375 * 800ns));
  // The next frame waits for the port.
  CHECK(ingress.release(at(1'500us), 10, Bandwidth{10 * mbit}) == at(2ms + 385 * 800ns));
}

TEST_CASE("link: an outage is counted once, however many frames wait for its end") {
  const BandwidthTrace cut_off({{0ms, 10 * mbit}, {1ms, 0.0}, {11ms, 10 * mbit}, {100ms, 10 * mbit}});
  SendingTime sending(PortRate({}, cut_off), Framing::none);
  // 1,250 bytes get through before the outage, which lasts 10 ms.
  CHECK(sending.of(0ms, 1'250) == 1ms);
  for (int frame = 0; frame < 4; ++frame)
    CHECK(sending.of(500us, 125) == (frame == 0 ? 10ms : 0ms) + 125 * 800ns);
  // The port is free again when the next frame comes.
  CHECK(sending.of(50ms, 1'250) == 1ms);
}

}  // namespace hearsay::bandwidth_trace_test
