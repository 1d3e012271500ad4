#include "runtime/network/ring_time.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay::test::ring_time_test {

using namespace std::chrono_literals;

namespace {

/// The time of the last message, message by message.
Duration step_by_step(const std::vector<RingLink>& links, std::uint64_t steps) {
  const std::size_t n = links.size();
  std::vector<Duration> there(n, 0ns);
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::vector<Duration> before = there;
    for (std::size_t i = 0; i < n; ++i)
      there[i] = links[i].busy + std::max(before[i], links[i].latency + before[(i + n - 1) % n]);
  }
  return *std::ranges::max_element(there);
}

/// Times below `most`, and sometimes ten times as long.
Duration drawn(RandomStream& random, std::uint64_t most) {
  const Duration time{random.below(most + 1)};
  return random.below(4) == 0 ? 10 * time : time;
}

}  // namespace

TEST_CASE("ring time: a long link counts as often as a chain passes it, a busy one in every step") {
  std::vector<RingLink> links(16, {.latency = 100us, .busy = 1ms});
  CHECK(ring_seconds(links, 30) == doctest::Approx(30 * 1.1e-3));
  links[7].latency = 5ms;  // the slowest chain passes it twice
  CHECK(ring_seconds(links, 30) == doctest::Approx(30 * 1.1e-3 + 2 * 4.9e-3));
  links[7].busy = 20ms;  // it stays on a busy one, which pays its latency once
  CHECK(ring_seconds(links, 30) == doctest::Approx(30 * 20e-3 + 5e-3));
}

TEST_CASE("ring time: the slowest chain is as slow as the messages, one by one") {
  RandomStream random(7, 0, 0, Purpose::network);
  for (int drawing = 0; drawing < 2000; ++drawing) {
    CAPTURE(drawing);
    std::vector<RingLink> links(2 + random.below(14));
    const std::uint64_t longest_latency = random.below(3) * 20;
    const std::uint64_t longest_busy = random.below(3) * 20;
    for (RingLink& link : links)
      link = {.latency = drawn(random, longest_latency), .busy = drawn(random, longest_busy)};
    const std::uint64_t steps =
        std::max<std::uint64_t>(links.size(), 2 * (links.size() - 1)) + random.below(3);
    CHECK(ring_seconds(links, steps) ==
          doctest::Approx(1e-9 * static_cast<double>(step_by_step(links, steps).count())));
  }
}

TEST_CASE("ring time: a hundred thousand links, each another") {
  RandomStream random(8, 0, 0, Purpose::network);
  std::vector<RingLink> links(100'000);
  for (RingLink& link : links) link = {.latency = drawn(random, 1000), .busy = drawn(random, 1000)};
  Duration busiest{0};
  for (const RingLink& link : links) busiest = std::max(busiest, link.busy);
  CHECK(ring_seconds(links, 200'000) >= 200'000 * seconds(busiest));
}

}  // namespace hearsay::test::ring_time_test
