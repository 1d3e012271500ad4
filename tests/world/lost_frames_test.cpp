#include <doctest/doctest.h>

#include "algorithms/methods/registry.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/worlds.hpp"
#include "tests/world/answered_exchanges.hpp"
#include "tests/world/faulty_cluster.hpp"
#include "tests/world/same_end.hpp"

namespace hearsay::test::lost_frames_test {

using namespace std::chrono_literals;

namespace {

constexpr Duration long_enough = std::chrono::hours(1);  // of virtual time

}  // namespace

TEST_CASE("lost frames: every synchronous method ends with the bits of the undisturbed run") {
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous) continue;
    CAPTURE(method.name);
    // A star has fewer messages in an iteration.
    const std::uint64_t iterations = method.pattern.has_hub ? 80 : 40;
    const auto experiment =
        quadratics_in<double>({.family = "ring", .peers = 5}, method.name, {.iterations = iterations});
    FaultyCluster cluster(experiment, 7, {.loss = 0.05, .repeat = 0.05, .overtake = 0.05});
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.network().lost > 10);
    CHECK(cluster.network().repeated > 10);
    CHECK(cluster.network().overtaken > 10);
    CHECK(cluster.counters().gaps > 10);
    CHECK(cluster.counters().repeated > 10);
    CHECK(cluster.counters().retransmitted > 10);
    check_same_end(cluster.outcome(), simulate(experiment, Duration{1000}));
  }
}

TEST_CASE("lost frames: an asynchronous method loses no exchange") {
  for (const MethodInfo& method : methods()) {
    if (!method.asynchronous) continue;
    CAPTURE(method.name);
    const auto experiment =
        quadratics_in<double>({.family = "ring", .peers = 5}, method.name, {.iterations = 40});
    FaultyCluster cluster(experiment, 7, {.loss = 0.05, .repeat = 0.05, .overtake = 0.05});
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.network().lost > 10);
    CHECK(cluster.counters().retransmitted > 0);
    check_exchanges_answered(cluster.outcome(), 40);
  }
}

TEST_CASE("lost frames: schedules and graphs of any kind, 200 seeds of the weather") {
  const std::vector<World> worlds = {
      {.family = "ring", .peers = 2},
      {.family = "star", .peers = 5},
      {.family = "complete", .peers = 4},
      {.family = "ring", .peers = 6, .schedule = "random-matchings"},
      {.family = "exponential", .peers = 8, .schedule = "one-peer-exponential"}};
  for (const World& world : worlds) {
    CAPTURE(world.name());
    const auto experiment = quadratics_in<double>(world, "dcd-psgd", {.iterations = 30});
    const RunOutcome<double> undisturbed = simulate(experiment, Duration{1000});
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(seed);
      const double chance = 0.05 + static_cast<double>(seed) / 250;
      FaultyCluster cluster(experiment, seed, {.loss = chance, .repeat = chance, .overtake = chance});
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.network().lost > 0);
      check_same_end(cluster.outcome(), undisturbed);
    }
  }
}

TEST_CASE("lost frames: a link that is down for a while holds the run up, no more") {
  const auto experiment =
      quadratics_in<double>({.family = "ring", .peers = 5}, "dcd-psgd", {.iterations = 100});
  FaultyCluster cluster(experiment, 1, {});
  cluster.cut(1, 2, 20ms, 30s);
  REQUIRE(cluster.run(long_enough));
  CHECK(cluster.network().lost > 5);
  CHECK(cluster.counters().retransmitted > 0);
  check_same_end(cluster.outcome(), simulate(experiment, Duration{1000}));
}

TEST_CASE("lost frames: where nothing is lost, nothing is sent twice") {
  const auto experiment =
      quadratics_in<double>({.family = "ring", .peers = 5}, "dcd-psgd", {.iterations = 100});
  FaultyCluster cluster(experiment, 1, {});
  REQUIRE(cluster.run(long_enough));
  CHECK(cluster.counters().gaps == 0);
  CHECK(cluster.counters().repeated == 0);
  CHECK(cluster.counters().retransmitted == 0);
  CHECK(cluster.counters().refused == 0);
}

}  // namespace hearsay::test::lost_frames_test
