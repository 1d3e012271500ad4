#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/checkpoint/checkpoint.hpp"
#include "runtime/observer/checkpoint_period.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/worlds.hpp"
#include "tests/world/faulty_cluster.hpp"
#include "tests/world/same_end.hpp"

namespace hearsay::test::crash_test {

using namespace std::chrono_literals;

namespace {

constexpr Duration long_enough = std::chrono::hours(1);  // of virtual time

Experiment<double> kept_experiment(const std::string& method, const World& world, std::uint64_t iterations,
                                   std::uint64_t checkpoint_every) {
  auto experiment = quadratics_in<double>(world, method, {.iterations = iterations});
  experiment.settings.failure.checkpoint_every = checkpoint_every;
  experiment.settings.run.evaluate_every = 3;
  return experiment;
}

}  // namespace

TEST_CASE("crash: a peer that is killed and comes back changes no bit, whatever the method") {
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous) continue;
    CAPTURE(method.name);
    const TemporaryFolder folder("hearsay_crash");
    const auto experiment = kept_experiment(method.name, {.family = "ring", .peers = 4}, 40, 7);
    FaultyCluster cluster(experiment, 3, {}, folder.path());
    cluster.crash(2, 20ms, 30ms);
    cluster.crash(0, 45ms, 46ms);
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.crashes == 2);
    CHECK(cluster.replayed > 0);
    check_same_end(cluster.outcome(), simulate(experiment, Duration{1000}));
  }
}

TEST_CASE("crash: on a tree below a hub, peers of every level that die and come back change no bit") {
  for (const MethodInfo& method : methods()) {
    if (!method.permits_tree) continue;
    CAPTURE(method.name);
    const bool sits_out = method.permits_time_varying;
    const auto experiment = kept_experiment(
        method.name, {.family = "hub-tree(2)", .peers = 7, .participation = sits_out ? 0.5 : 1.0}, 40, 7);
    const RunOutcome<double> undisturbed = simulate(experiment, Duration{1000});
    for (PeerId victim = 0; victim < 7; ++victim) {
      CAPTURE(victim);
      const TemporaryFolder folder("hearsay_crash");
      FaultyCluster cluster(experiment, 3, {.loss = 0.02, .repeat = 0.02, .overtake = 0.02}, folder.path());
      cluster.crash(victim, 20ms, 30ms);
      cluster.crash((victim + 3) % 7, 45ms, 46ms);
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.crashes == 2);
      check_same_end(cluster.outcome(), undisturbed);
    }
  }
}

TEST_CASE("crash: all processes killed at once go on from a common checkpoint, and end with the same bits") {
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous) continue;
    CAPTURE(method.name);
    const TemporaryFolder folder("hearsay_crash");
    const auto experiment = kept_experiment(method.name, {.family = "ring", .peers = 4}, 40, 7);
    FaultyCluster cluster(experiment, 3, {}, folder.path());
    cluster.crash_all(45ms, 60ms);
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.crashes == 4);
    check_same_end(cluster.outcome(), simulate(experiment, Duration{1000}));
  }
}

TEST_CASE("crash: with staleness, peers that die alone or all at once, and cut links, change no bit") {
  for (const std::uint64_t staleness : {1, 3}) {
    const Plan plan{.iterations = 40,
                    .options = {{option::consensus_step, 0.3}, {option::staleness, staleness}}};
    auto experiment = quadratics_in<double>({.family = "ring", .peers = 5}, "d-psgd", plan);
    experiment.settings.failure.checkpoint_every = 4;
    experiment.settings.run.evaluate_every = 6;
    const RunOutcome<double> undisturbed = simulate(experiment, Duration{1000});
    std::uint64_t crashes = 0, replayed = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(staleness);
      CAPTURE(seed);
      const TemporaryFolder folder("hearsay_crash");
      RandomStream random(seed, 2, 0, Purpose::data);
      FaultyCluster cluster(experiment, seed, {.loss = 0.02, .repeat = 0.02, .overtake = 0.02},
                            folder.path());
      const Duration when = 8ms + Duration(random.below(40'000'000));
      const auto victim = static_cast<PeerId>(random.below(5));
      if (seed % 2 == 0)
        cluster.crash_all(when, when + 20ms);
      else
        cluster.crash(victim, when, when + Duration(random.below(1'000'000'000)));
      cluster.cut(victim, (victim + 1) % 5, when + 100ms, when + 2s);
      REQUIRE(cluster.run(long_enough));
      crashes += cluster.crashes;
      replayed += cluster.replayed;
      check_same_end(cluster.outcome(), undisturbed);
    }
    CHECK(crashes > 100);
    CHECK(replayed > 30);
  }
}

TEST_CASE(
    "crash: peers that die again while all go on from their checkpoints, peer 0 and its observer too, change "
    "no bit") {
  // Messages that no gradient hides, so that the run is under way at every death.
  auto experiment =
      quadratics_in<double>({.family = "ring", .peers = 5}, "dcd-psgd",
                            {.iterations = 40, .options = {{option::order, "adapt-then-combine"}}});
  experiment.settings.failure.checkpoint_every = 4;
  experiment.settings.run.evaluate_every = 3;
  const RunOutcome<double> undisturbed = simulate(experiment, Duration{1000});
  std::uint64_t crashes = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const TemporaryFolder folder("hearsay_crash");
    RandomStream random(seed, 4, 0, Purpose::data);
    const double loss = seed % 2 == 0 ? 0.0 : 0.02;
    FaultyCluster cluster(experiment, seed, {.loss = loss, .repeat = loss, .overtake = loss}, folder.path());
    const Duration when = 8ms + Duration(random.below(40'000'000));
    const Duration back = when + 20ms;
    cluster.crash_all(when, back);
    // The next two crashes fall into the agreement on the checkpoint, the handshakes, or the first
    // iterations.
    for (const bool first : {true, false}) {
      const Duration again = back + Duration(random.below(12'000'000));
      const Duration until = again + 1ms + Duration(random.below(200'000'000));
      const auto victim = 1 + static_cast<PeerId>(random.below(4));
      first ? cluster.crash_first(again, until) : cluster.crash(victim, again, until);
    }
    REQUIRE(cluster.run(long_enough));
    crashes += cluster.crashes;
    REQUIRE_MESSAGE(cluster.outcome().status == RunStatus::done, cluster.outcome().reason);
    check_same_end(cluster.outcome(), undisturbed);
  }
  CHECK(crashes > 900);   // of peers that were training
  CHECK(crashes < 1200);  // so most of the 1,400 deaths fell into the agreement
}

TEST_CASE("crash: where all begin anew, a peer that dies before its own start begins where the others did") {
  constexpr PeerId victim = 3;
  const auto experiment = kept_experiment("dcd-psgd", {.family = "ring", .peers = 5}, 40, 30);
  const RunOutcome<double> undisturbed = simulate(experiment, Duration{1000});
  std::uint64_t begun_without_it = 0;
  for (Duration again = 30ms; again < 42ms; again += 500us) {
    CAPTURE(again.count());
    const TemporaryFolder folder("hearsay_crash");
    FaultyCluster cluster(experiment, 3, {}, folder.path());
    cluster.crash_all(20ms, 30ms);  // after some iterations, before the first checkpoint
    cluster.crash(victim, again, again + 50ms);
    bool is_start_under_way = false;
    cluster.network().overhears = [&](PeerId, PeerId to, const FrameHeader& head, auto) {
      const bool is_second_start = head.kind == FrameKind::start && cluster.now() > 30ms;
      is_start_under_way |= is_second_start && to == victim && cluster.now() < again;
    };
    REQUIRE(cluster.run(long_enough));
    begun_without_it += is_start_under_way && cluster.crashes == 5;
    check_same_end(cluster.outcome(), undisturbed);
  }
  CHECK(begun_without_it > 0);
}

TEST_CASE("crash: a peer that waits for its start goes back with those that had theirs, and died") {
  constexpr PeerId victim = 2, observer = 5;
  const auto experiment = kept_experiment("dcd-psgd", {.family = "star", .peers = 5}, 40, 2);
  const RunOutcome<double> undisturbed = simulate(experiment, Duration{1000});
  for (const bool dies_before_second_start : {false, true}) {
    CAPTURE(dies_before_second_start);
    const TemporaryFolder folder("hearsay_crash");
    FaultyCluster cluster(experiment, 3, {}, folder.path());
    cluster.crash_all(25ms, 30ms);
    std::uint64_t starts = 0;
    cluster.network().overhears = [&](PeerId, PeerId to, const FrameHeader& head, auto) {
      if (head.kind != FrameKind::start || to != victim || cluster.now() < 30ms) return;
      ++starts;
      if (starts == 1) cluster.cut(victim, observer, cluster.now(), 1s);
      if (starts == 2 && dies_before_second_start) cluster.crash(victim, cluster.now(), cluster.now() + 5ms);
    };
    // Its neighbor trains on with its first message, as far as it can, and says what it needs no more.
    cluster.crash_first(45ms, 60ms);
    for (const PeerId id : {1, 3, 4}) cluster.crash(id, 45ms, 60ms);
    REQUIRE(cluster.run(long_enough));
    CHECK(starts == (dies_before_second_start ? 3 : 2));
    CHECK(cluster.crashes == 9);  // the victim had not begun
    check_same_end(cluster.outcome(), undisturbed);
  }
}

TEST_CASE("crash: where each peer judges its own model, one that dies at an evaluation comes back, too") {
  auto experiment = kept_experiment("d-psgd", {.family = "ring", .peers = 4}, 30, 3);
  experiment.settings.run.evaluate = RunSettings::Run::Evaluate::own;
  const RunOutcome<double> calm = simulate(experiment, Duration{1000});
  for (const bool together : {false, true})
    for (Duration when = 1ms; when < 60ms; when += 1ms) {
      CAPTURE(together);
      CAPTURE(when.count());
      const TemporaryFolder folder("hearsay_crash");
      FaultyCluster cluster(experiment, 4, {}, folder.path());
      together ? cluster.crash_all(when, when + 5ms) : cluster.crash(2, when, when + 5ms);
      REQUIRE(cluster.run(long_enough));
      check_same_end(cluster.outcome(), calm);
    }
}

TEST_CASE(
    "crash: a period becomes one number of iterations, the same checkpoints of all, and no bit changes") {
  constexpr Duration period = 11ms;
  struct Death {
    Duration when;
    Duration until;
  };
  const std::vector<Death> deaths = {{1h, 1h}, {20ms, 25ms}, {60ms, 70ms}, {75ms, 76ms}};
  for (const bool together : {false, true})
    for (const Death& death : deaths) {
      CAPTURE(together);
      CAPTURE(death.when.count());
      const TemporaryFolder folder("hearsay_crash");
      auto experiment = kept_experiment("dcd-psgd", {.family = "ring", .peers = 5}, 80, 0);
      experiment.settings.failure.checkpoint_period = period;
      FaultyCluster cluster(experiment, 4, {}, folder.path());
      if (death.when < 1h)
        together ? cluster.crash_all(death.when, death.until) : cluster.crash(2, death.when, death.until);
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.crashes == (death.when == 1h ? 0 : together ? 5 : 1));
      const RunOutcome<double> outcome = cluster.outcome();
      check_same_end(outcome, simulate(experiment, Duration{1000}));
      const std::uint64_t every = checkpoint_every_for(period, outcome.evaluations);
      CHECK(every > 1);
      CHECK(every < 20);
      const std::vector<std::uint64_t> of_first = list_checkpoints(folder.path(), 0);
      REQUIRE(of_first.size() > 1);
      CHECK(of_first.back() == 80);
      for (std::size_t k = 0; k + 1 < of_first.size(); ++k) CHECK(of_first[k] % every == 0);
      for (PeerId id = 1; id < 5; ++id) CHECK(list_checkpoints(folder.path(), id) == of_first);
    }
}

TEST_CASE(
    "checkpoint period: it is as many iterations as it lasts, by the first evaluation, and at least one") {
  const auto evaluations = [](std::uint64_t iteration, double seconds) {
    std::vector<Evaluation> all(2);
    all[1].iteration = iteration;
    all[1].seconds = seconds;
    return all;
  };
  CHECK(checkpoint_every_for(30s, evaluations(10, 5.0)) == 60);
  CHECK(checkpoint_every_for(30s, evaluations(10, 5000.0)) == 1);
  CHECK(checkpoint_every_for(1h, evaluations(10, 1e-9)) == 4'294'967'295);
  CHECK(checkpoint_every_for(1h, evaluations(10, 0.0)) == 4'294'967'295);
  CHECK(checkpoint_every_for(0s, evaluations(10, 5.0)) == 0);
  CHECK(checkpoint_every_for(30s, {}) == 0);
  CHECK(checkpoint_every_for(30s, std::vector<Evaluation>(1)) == 0);
}

TEST_CASE("crash: 1,000 seeds of crashes, cuts and bad weather change no bit") {
  const std::vector<World> worlds = {{.family = "ring", .peers = 2},
                                     {.family = "path", .peers = 4},
                                     {.family = "star", .peers = 5},
                                     {.family = "ring", .peers = 6, .schedule = "random-matchings"}};
  for (const World& world : worlds) {
    CAPTURE(world.name());
    const auto experiment = kept_experiment("dcd-psgd", world, 30, 4);
    const RunOutcome<double> undisturbed = simulate(experiment, Duration{1000});
    std::uint64_t crashes = 0, replayed = 0;
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
      CAPTURE(seed);
      const TemporaryFolder folder("hearsay_crash");
      RandomStream random(seed, 1, 0, Purpose::data);
      FaultyCluster cluster(experiment, seed, {.loss = 0.02, .repeat = 0.02, .overtake = 0.02},
                            folder.path());
      for (int fault = 0; fault < 4; ++fault) {
        const auto peer = static_cast<PeerId>(random.below(world.peers));
        const Duration when = 2ms + Duration(random.below(20'000'000'000));
        const Duration until = when + Duration(random.below(3'000'000'000));
        if (random.below(3) == 0)
          cluster.cut(peer, (peer + 1) % world.peers, when, until);
        else
          cluster.crash(peer, when, until);
      }
      // Early enough that the peers are in the middle of the run.
      const auto victim = static_cast<PeerId>(random.below(world.peers));
      const Duration early = 8ms + Duration(random.below(20'000'000));
      cluster.crash(victim, early, early + Duration(random.below(1'000'000'000)));
      REQUIRE(cluster.run(long_enough));
      crashes += cluster.crashes;
      replayed += cluster.replayed;
      check_same_end(cluster.outcome(), undisturbed);
    }
    CHECK(crashes > 200);
    CHECK(replayed > 500);
  }
}

}  // namespace hearsay::test::crash_test
