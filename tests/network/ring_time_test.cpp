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

TEST_CASE("ring time: a long link counts once a round, a busy one in every step") {
  std::vector<RingLink> links(16, {.latency = 100us, .busy = 1ms});
  CHECK(ring_seconds(links, 30) == doctest::Approx(30 * 1.1e-3));
  links[7].latency = 5ms;
  CHECK(ring_seconds(links, 30) == doctest::Approx(30 * (1.1e-3 + 4.9e-3 / 16)));
  links[7].busy = 20ms;
  CHECK(ring_seconds(links, 30) == doctest::Approx(30 * 20e-3));
}

TEST_CASE("ring time: steps take in the long run what the messages take, one by one") {
  RandomStream random(7, 0, 0, Purpose::network);
  for (int drawing = 0; drawing < 300; ++drawing) {
    CAPTURE(drawing);
    std::vector<RingLink> links(2 + random.below(14));
    const std::uint64_t longest_latency = random.below(3) * 20;
    const std::uint64_t longest_busy = random.below(3) * 20;
    for (RingLink& link : links)
      link = {.latency = drawn(random, longest_latency), .busy = drawn(random, longest_busy)};
    // What comes before the long run ends within so many steps, and then the time repeats after n steps.
    const std::uint64_t settled = 400 * links.size();
    const Duration more = step_by_step(links, settled + 16 * links.size()) - step_by_step(links, settled);
    CHECK(ring_seconds(links, 16 * links.size()) == doctest::Approx(seconds(more)));
  }
}

}  // namespace hearsay::test::ring_time_test
