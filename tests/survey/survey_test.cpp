#include <doctest/doctest.h>

#include <cmath>
#include <functional>

#include "tests/support/misuse_text.hpp"
#include "tests/survey/survey_world.hpp"

namespace hearsay::test::survey_test {

using namespace std::chrono_literals;

namespace {

constexpr double mbit_s = 1e6 / 8;

SurveyWorld::LinkOf all_alike(double bytes_per_s, Duration latency) {
  return [=](PeerId, PeerId) { return SurveyWorld::Link{bytes_per_s, latency}; };
}

bool is_near(double value, double wanted, double share) { return std::abs(value / wanted - 1.0) < share; }

}  // namespace

TEST_CASE("survey: slow and fast, near and far: bandwidth and latency are those of the link") {
  struct Case {
    double bytes_per_s;
    Duration latency;
  };
  for (const Case& link : {Case{0.03 * mbit_s, 5ms},
                           {0.1 * mbit_s, 20ms},
                           {1 * mbit_s, 5ms},
                           {10 * mbit_s, 50ms},
                           {1'000 * mbit_s, 50ms},
                           {10'000 * mbit_s, 50us}}) {
    CAPTURE(link.bytes_per_s);
    SurveyWorld world(2, {.bytes = 2'000'000'000}, all_alike(link.bytes_per_s, link.latency));
    world.get_all_ready();
    REQUIRE(world.run());
    REQUIRE(world.links.size() == 2);
    for (const MeasuredLink& measured : world.links) {
      CHECK_MESSAGE(is_near(static_cast<double>(measured.bytes_per_s), link.bytes_per_s, 0.05),
                    measured.bytes_per_s);
      // The answer's own time on the wire is part of the round trip.
      const Duration answer = Bandwidth{link.bytes_per_s}.time_for(header_bytes);
      CHECK(is_near(seconds(measured.round_trip), seconds(2 * link.latency + answer), 0.01));
    }
    CHECK(world.unfit == 0);
  }
}

TEST_CASE("survey: a burst at the beginning is not taken for the bandwidth") {
  SurveyWorld world(2, {}, [](PeerId, PeerId) { return SurveyWorld::Link{8 * mbit_s, 5ms, 400'000}; });
  world.get_all_ready();
  REQUIRE(world.run());
  for (const MeasuredLink& measured : world.links)
    CHECK(is_near(static_cast<double>(measured.bytes_per_s), 8 * mbit_s, 0.05));
}

TEST_CASE("survey: it takes no more time and sends no more bytes than it may") {
  const SurveyLimits limits{.time = 1s, .bytes = 500'000};
  SurveyWorld fast(2, limits, all_alike(100 * mbit_s, 1ms));
  fast.get_all_ready();
  const Instant began = fast.now();
  REQUIRE(fast.run());
  CHECK(fast.payload[{0, 1}] == 500'000);
  CHECK(fast.payload[{1, 0}] == 500'000);
  CHECK(fast.now() - began < 500ms);

  SurveyWorld slow(2, limits, all_alike(1 * mbit_s, 5ms));
  slow.get_all_ready();
  const Instant slow_began = slow.now();
  REQUIRE(slow.run());
  CHECK(slow.payload[{0, 1}] < 150'000);
  CHECK(slow.now() - slow_began < 2s + 700ms);
}

TEST_CASE("survey: every pair of eight, each direction with its own bandwidth, side by side") {
  const auto rate = [](PeerId from, PeerId to) { return (10.0 + from + 10.0 * to) * mbit_s; };
  SurveyWorld world(8, {}, [&](PeerId from, PeerId to) {
    return SurveyWorld::Link{rate(from, to), (1 + from + to) * 1ms};
  });
  world.get_all_ready();
  const Instant began = world.now();
  REQUIRE(world.run());
  REQUIRE(world.links.size() == 56);
  for (const MeasuredLink& link : world.links) {
    CHECK(is_near(static_cast<double>(link.bytes_per_s), rate(link.from, link.to), 0.06));
    CHECK(is_near(seconds(link.round_trip), 2e-3 * (1 + link.from + link.to), 0.06));
  }
  CHECK(world.now() - began < 14 * 2s + 6s);  // steps, round trips and the ends of transfers
  for (PeerId id = 0; id < 8; ++id) CHECK(world.peer(id).end()->exit_code == 0);
}

TEST_CASE("survey: lost frames cost time, and no more") {
  SurveyWorld world(4, {.time = 200ms, .bytes = 1'000'000}, all_alike(4 * mbit_s, 2ms));
  world.loss = 0.02;
  world.get_all_ready();
  REQUIRE(world.run());
  CHECK(world.links.size() == 12);
}

TEST_CASE("survey: it begins when all are ready, and misses who never is") {
  SurveyWorld world(3, {}, all_alike(mbit_s, 1ms));
  world.get_ready(0);
  world.get_ready(2);
  REQUIRE(world.run());
  CHECK(world.links.empty());
  CHECK(world.loads == 0);
  for (const PeerId id : {0u, 2u}) {
    CHECK(world.peer(id).end()->exit_code == 2);
    CHECK(world.peer(id).end()->reason == "peer 1 did not come up");
  }
}

TEST_CASE("survey: one that dies in the middle is named at all others, soon") {
  for (const PeerId victim : {1u, 3u}) {
    SurveyWorld world(4, {}, all_alike(mbit_s, 1ms));
    world.get_all_ready();
    Instant died{};
    world.watch = [&] {
      if (world.peer(victim).step() == 3 && died == Instant{}) {
        world.kill(victim);
        died = world.now();
      }
    };
    REQUIRE(world.run());
    REQUIRE(died != Instant{});
    CHECK(world.links.empty());
    CHECK(world.now() - died < 14s);
    for (PeerId id = 0; id < 4; ++id) {
      if (id == victim) continue;
      CHECK(world.peer(id).end()->exit_code == 2);
      CHECK(world.peer(id).end()->reason ==
            "peer " + std::to_string(victim) + " has not been heard of for 8 s");
      CHECK(world.peer(id).next() == Instant::max());  // nor does its process turn round and round
    }
  }
}

TEST_CASE("survey: without peer 0 the others end, and say whom they miss") {
  SurveyWorld world(3, {}, all_alike(mbit_s, 1ms));
  world.get_all_ready();
  world.watch = [&] {
    if (world.peer(1).step() == 2) world.kill(0);
  };
  REQUIRE(world.run());
  for (const PeerId id : {1u, 2u}) {
    CHECK(world.peer(id).end()->exit_code == 2);
    CHECK(contains(world.peer(id).end()->reason, "peer 0, which says who measures when, has not been heard"));
  }
}

TEST_CASE("survey: who is interrupted, or knows what is wrong, ends it everywhere") {
  for (const std::string& reason : {std::string(), std::string("peer 2: 1 connection does not work")}) {
    SurveyWorld world(4, {}, all_alike(mbit_s, 1ms));
    world.get_all_ready();
    world.watch = [&] {
      if (world.peer(2).step() == 2) world.peer(2).give_up(reason, world.now());
    };
    REQUIRE(world.run());
    CHECK(world.links.empty());
    for (PeerId id = 0; id < 4; ++id) {
      CHECK(world.peer(id).end()->exit_code == (reason.empty() ? 130 : 2));
      const std::string at_the_others = reason.empty() ? "peer 2 was interrupted" : reason;
      CHECK(world.peer(id).end()->reason == (id == 2 && reason.empty() ? "interrupted" : at_the_others));
    }
  }
}

TEST_CASE("survey: a peer that is started again in the middle ends it") {
  SurveyWorld world(3, {}, all_alike(mbit_s, 1ms));
  world.get_all_ready();
  world.watch = [&] {
    if (world.peer(1).step() != 2) return;
    FrameHeader again;
    again.kind = FrameKind::ready;
    again.sender = 1;
    again.incarnation = 99;
    world.desk().hear(again, {}, world.now());
  };
  REQUIRE(world.run());
  CHECK(world.peer(2).end()->reason == "peer 1 was started again in the middle of the measurement");
}

TEST_CASE("survey: random words and loads are counted, and change neither the result nor the bounds") {
  const SurveyLimits limits{.time = 200ms, .bytes = 300'000};
  SurveyWorld world(4, limits, all_alike(4 * mbit_s, 1ms));
  std::uint64_t state = 3;
  const auto below = [&](std::uint64_t most) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % most;
  };
  std::uint64_t strange = 0;
  world.watch = [&] {
    if (below(5) != 0) return;
    FrameHeader header;
    header.kind = static_cast<FrameKind>(1 + below(31));
    if (header.kind == FrameKind::stop || header.kind == FrameKind::bye) return;  // they mean what they say
    header.sender = static_cast<PeerId>(5 + below(100));                          // no peer
    header.iteration = below(2) ? below(20) : ~0ull;
    header.slot = static_cast<std::uint32_t>(below(1000));
    header.sequence = below(2) ? below(1'000'000) : ~0ull;
    header.degree = static_cast<std::uint32_t>(below(100'000));
    strange += world.desk().hear(header, {}, world.now()) ? 0 : 1;
    if (header.kind != FrameKind::allow)
      strange +=
          world.peer(static_cast<PeerId>(below(4))).hear_peer(header, below(70'000), world.now()) ? 0 : 1;
  };
  world.get_all_ready();
  REQUIRE(world.run());
  CHECK(world.links.size() == 12);
  CHECK(strange > 100);
  for (const auto& [pair, bytes] : world.payload) CHECK(bytes <= limits.bytes);
}

TEST_CASE("survey: a peer sends no more than agreed, whatever it is permitted, and to one peer in a step") {
  LoadSource source(100'000, 4);
  CHECK_FALSE(source.hear(1, {.step = 4, .bytes = 10, .piece = 10}));
  CHECK_FALSE(source.hear(1, {.step = 0, .bytes = 100'001, .piece = 10}));
  REQUIRE(source.hear(1, {.step = 1, .bytes = 100'000, .piece = 1 << 30}));
  CHECK_FALSE(source.hear(2, {.step = 1, .bytes = 10, .piece = 10}));
  CHECK_FALSE(source.hear(1, {.step = 0, .bytes = 10, .piece = 10}));
  std::uint64_t sent = 0;
  for (; const auto piece = source.next(); source.sent()) {
    CHECK(piece->load.position == sent);
    CHECK(piece->bytes <= LoadSource::longest_piece);
    sent += piece->bytes;
  }
  CHECK(sent == 100'000);
  REQUIRE(source.hear(1, {.step = 1, .bytes = 100'000, .piece = 0, .number = 7}));
  CHECK(source.next()->bytes == 0);
  CHECK(source.next()->load.number == 7);
  source.sent();
  CHECK_FALSE(source.next());
}

TEST_CASE("survey: what TCP has delivered in the second half of a transfer is told, if it is known") {
  const auto told = [](const std::function<void(LoadSource&, Instant)>& note) {
    LoadSource source(1'000'000, 4);
    CHECK_FALSE(source.transfers_to());
    REQUIRE(source.hear(1, {.step = 1, .bytes = 100'000, .piece = 1'000}));
    CHECK(source.transfers_to() == PeerId{1});
    note(source, Instant{1h});
    REQUIRE(source.hear(1, {.step = 1, .bytes = 100'000, .piece = 0, .number = 7}));
    CHECK_FALSE(source.transfers_to());
    return source.next()->load.bytes_per_s;
  };
  // Slow in the first half, then 1,000 bytes a millisecond.
  const auto speeds_up = [](LoadSource& source, Instant now) {
    for (std::uint64_t ms = 0; ms <= 100; ++ms)
      source.note_delivered(5'000 + 10 * ms + (ms > 50 ? 990 * (ms - 50) : 0), now + ms * 1ms);
  };
  CHECK(told(speeds_up) == 1'000'000);
  CHECK(told([](LoadSource&, Instant) {}) == 0);
  CHECK(told([](LoadSource& source, Instant now) {
          for (int k = 0; k < 100; ++k) source.note_delivered(5'000, now + k * 1ms);
        }) == 0);
  CHECK(told([&](LoadSource& source, Instant now) {
          source.note_delivered(1'000'000, now - 1s);  // of a connection that broke
          speeds_up(source, now);
        }) == 1'000'000);
}

TEST_CASE("survey: what was not permitted is not taken, and a source that never stops is given up") {
  Instant now{1h};
  LinkMeter meter(0, 1, {.time = 100ms, .bytes = 100'000}, now);
  CHECK_FALSE(meter.hear({.step = 0, .position = 0}, 100, now));  // before anything was permitted
  while (true) {
    const auto allow = meter.tick(now);
    REQUIRE(allow);
    if (allow->bytes > 0) {
      CHECK(allow->bytes == 16'384);
      break;
    }
    now += 1ms;
    CHECK(meter.hear({.step = 0, .number = allow->number}, 0, now));
  }
  CHECK_FALSE(meter.hear({.step = 1, .position = 0}, 100, now));
  CHECK_FALSE(meter.hear({.step = 0, .position = 0}, 16'385, now));
  CHECK_FALSE(meter.hear({.step = 0, .position = ~0ull}, 100, now));
  CHECK(meter.hear({.step = 0, .position = 0}, 1'000, now));
  CHECK_FALSE(meter.hear({.step = 0, .position = 999}, 1, now));
  for (int k = 0; meter.failure().empty() && k < 100; ++k) {
    now = meter.next();
    while (meter.tick(now)) continue;
  }
  CHECK(meter.failure() == "stopped sending to");
  CHECK_FALSE(meter.is_done());
}

}  // namespace hearsay::test::survey_test
