#include <doctest/doctest.h>

#include <algorithm>

#include "algorithms/methods/registry.hpp"
#include "tests/world/dropping_runs.hpp"

namespace hearsay::test::policy_test {

using namespace std::chrono_literals;

// The decisions that the processes of a run take, in virtual time: when, and in which words.

namespace {

/// Returns a star with a dedicated hub, whose worker 2 stands by, under failure.lost_after = 200 ms.
Experiment<double> star_with_standby(std::uint64_t iterations) {
  constexpr PeerId peers = 6;
  RunSettings settings =
      settings_of("ef21", {.family = "star", .peers = peers}, {.iterations = iterations, .step_size = 0.002});
  settings.failure.policy = RunSettings::Failure::Policy::drop;
  settings.failure.lost_after = 200ms;
  settings.failure.hub_standby = 2;
  settings.topology.hub = HubData::none;
  return prepare<double>(settings, quadratic_problem<double>(5, {1, 2, 3, 4, 5}, Shared::nothing));
}

/// Returns a star whose hub waits for the answers of a round no longer than that; 0: for all of them.
Experiment<double> star_with_deadline(Duration round_deadline) {
  RunSettings settings =
      settings_of("fed-avg", {.family = "star", .peers = 6}, {.iterations = 200, .step_size = 0.01});
  settings.failure.policy = RunSettings::Failure::Policy::drop;
  settings.failure.lost_after = 200ms;
  settings.topology.round_deadline = round_deadline;
  settings.run.evaluate_every = 100;
  return prepare<double>(settings, quadratic_problem<double>(5, {0, 1, 2, 3, 4, 5}, Shared::nothing));
}

/// Cuts all peers off from their observer, for good.
void lose_observer(FaultyCluster& cluster, PeerId peers, Duration when) {
  for (PeerId id = 0; id < peers; ++id) cluster.cut(id, peers, when, long_enough);
}

/// Returns the name of a method of which a lost peer cannot join the run anew.
std::string not_to_be_joined() {
  const auto found = std::ranges::find_if(methods(), [](const MethodInfo& method) {
    return method.membership == Membership::exact && !method.may_be_joined && !method.pattern.has_hub &&
           !method.asynchronous;
  });
  REQUIRE(found != methods().end());
  return found->name;
}

}  // namespace

TEST_CASE("policy: workers wait for a standby twice failure.lost_after and three rounds, then end") {
  const auto experiment = star_with_standby(4000);
  FaultyCluster cluster(experiment, 3, {});
  // The standby hears the hub, which the other workers do not hear any more.
  for (const PeerId worker : {1u, 3u, 4u, 5u}) cluster.cut(0, worker, 60ms, 1min);
  cluster.run(600ms);
  CHECK(cluster.hub_lost == 0);
  cluster.run(1100ms);
  CHECK(cluster.hub_lost == 4);
}

TEST_CASE("policy: a worker that gives up its hub says so to the observer, which counts on it no more") {
  const auto experiment = star_with_standby(4000);
  FaultyCluster cluster(experiment, 3, {});
  for (const PeerId worker : {1u, 3u, 4u, 5u}) cluster.cut(0, worker, 60ms, 1min);
  Duration when{0};
  while (cluster.hub_lost < 4 && when < 5s) cluster.run(when += 10ms);
  REQUIRE(cluster.hub_lost == 4);
  cluster.run(when + 20ms);
  CHECK(cluster.outcome().dropped == std::vector<PeerId>{1, 3, 4, 5});
}

TEST_CASE("policy: a worker that does not hear its hub, and has no standby, ends after failure.lost_after") {
  const auto experiment = star_with_deadline(0ms);
  FaultyCluster cluster(experiment, 3, {});
  cluster.cut(0, 4, 60ms, long_enough);
  cluster.cut(4, 6, 60ms, long_enough);  // nor the observer, which would tell it
  cluster.run(400ms);
  REQUIRE(cluster.end(4).has_value());
  CHECK(cluster.end(4)->exit_code == 3);
  CHECK(cluster.end(4)->reason.find("peer 4: the hub, peer 0, was lost: it has said nothing for 0.2 s") == 0);
  REQUIRE(cluster.run(long_enough));
  CHECK(cluster.outcome().status == RunStatus::done);
  CHECK(cluster.outcome().dropped == std::vector<PeerId>{4});
}

TEST_CASE("policy: a hub closes a round as soon as its time is over") {
  const auto experiment = star_with_deadline(20ms);
  FaultyCluster cluster(experiment, 3, {});
  cluster.freeze(4, 60ms, 240ms);  // meanwhile no round has all answers
  std::vector<Duration> begun;
  cluster.network().overhears = [&](PeerId from, PeerId to, const FrameHeader& header,
                                    std::span<const std::byte>) {
    if (from == 0 && to == 1 && header.kind == FrameKind::data && cluster.now() > 80ms &&
        cluster.now() < 230ms)
      begun.push_back(cluster.now());
  };
  REQUIRE(cluster.run(long_enough));
  REQUIRE(begun.size() > 3);
  for (std::size_t round = 1; round < begun.size(); ++round) CHECK(begun[round] - begun[round - 1] == 20ms);
}

TEST_CASE("policy: a process without which the run goes on, and that cannot join it, ends and says so") {
  const auto experiment = dropping(not_to_be_joined(), {.family = "ring", .peers = 5}, 2500);
  FaultyCluster cluster(experiment, 3, {});
  cluster.replace(2, 60ms, 800ms);
  REQUIRE(cluster.run(long_enough));
  CHECK(cluster.outcome().status == RunStatus::done);
  CHECK(cluster.outcome().dropped == std::vector<PeerId>{2});
  REQUIRE(cluster.end(2).has_value());
  CHECK(cluster.end(2)->exit_code != 0);
  CHECK(cluster.end(2)->reason.find("cannot be joined") != std::string::npos);
  CHECK(!cluster.end(2)->took_part);
}

TEST_CASE(
    "policy: under \"wait\" a neighbor that stays silent ends the run, with its name and the iteration") {
  auto experiment = quadratics_in<double>({.family = "ring", .peers = 4}, "d-psgd", {.iterations = 4000});
  experiment.settings.failure.lost_after = 200ms;
  FaultyCluster cluster(experiment, 3, {});
  cluster.lose(2, 60ms);
  REQUIRE(cluster.run(long_enough));
  CHECK(cluster.outcome().status == RunStatus::lost);
  CHECK(cluster.outcome().reason.find("peer 2 was lost: it has said nothing for 0.2 s (iteration ") == 0);
  for (const PeerId id : {0u, 1u, 3u}) {
    REQUIRE(cluster.end(id).has_value());
    CHECK(cluster.end(id)->exit_code == 3);
  }
}

TEST_CASE("policy: a process that its neighbors alone turn away ends as well, and takes nobody along") {
  const auto experiment = dropping(not_to_be_joined(), {.family = "ring", .peers = 5}, 2500);
  constexpr PeerId observer = 5;
  FaultyCluster cluster(experiment, 3, {});
  cluster.replace(2, 60ms, 800ms);
  cluster.cut(2, observer, 800ms, 1min);
  cluster.run(1s);
  REQUIRE(cluster.end(2).has_value());
  CHECK(cluster.end(2)->exit_code == 3);
  CHECK(cluster.end(2)->reason.find(" has gone on without peer 2, and ") != std::string::npos);
  REQUIRE(cluster.run(long_enough));
  CHECK(cluster.outcome().status == RunStatus::done);
}

TEST_CASE("policy: peers whose observer is gone for good train to their last iteration, and hand over") {
  const auto experiment = dropping("dcd-psgd", {.family = "ring", .peers = 4}, 1200);
  FaultyCluster cluster(experiment, 3, {});
  lose_observer(cluster, 4, 60ms);
  REQUIRE(cluster.run_to_the_end(1min));
  for (PeerId id = 0; id < 4; ++id) {
    CAPTURE(id);
    CHECK(cluster.peer(id)->iteration() == 1200);
    REQUIRE(cluster.end(id).has_value());
    CHECK(cluster.end(id)->exit_code == 0);
    CHECK(cluster.end(id)->reason.find("it has ended without an observer") == 0);
    CHECK(cluster.evaluated_model(id, 40) != nullptr);
    CHECK(cluster.evaluated_model(id, 1000) == nullptr);  // nobody would hear of it
  }
}

TEST_CASE("policy: under \"wait\" a peer whose observer is silent for too long ends, and says so") {
  auto experiment = quadratics_in<double>({.family = "ring", .peers = 4}, "d-psgd", {.iterations = 4000});
  experiment.settings.failure.lost_after = 200ms;
  FaultyCluster cluster(experiment, 3, {});
  lose_observer(cluster, 4, 60ms);
  REQUIRE(cluster.run_to_the_end(1s));
  for (PeerId id = 0; id < 4; ++id) {
    CAPTURE(id);
    CHECK(cluster.end(id)->exit_code == 3);
    CHECK(cluster.end(id)->reason.find("the observer, at peer 0, was lost") != std::string::npos);
  }
}

TEST_CASE("policy: peers without an observer wait until no neighbor needs what they sent, and no longer") {
  const auto experiment = dropping("d-psgd", {.family = "ring", .peers = 4}, 600);
  Duration last_data{0};
  const auto listen = [&last_data](FaultyCluster& cluster) {
    cluster.network().overhears = [&](PeerId, PeerId, const FrameHeader& header, std::span<const std::byte>) {
      if (header.kind == FrameKind::data) last_data = cluster.now();
    };
  };
  FaultyCluster undisturbed(experiment, 3, {});
  lose_observer(undisturbed, 4, 60ms);
  listen(undisturbed);
  REQUIRE(undisturbed.run_to_the_end(1min));
  CHECK(undisturbed.now() - last_data < 5ms);
  const Duration end = last_data;

  std::uint64_t lost = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    FaultyCluster lossy(experiment, seed, {.loss = 0.02});
    lose_observer(lossy, 4, 60ms);
    REQUIRE(lossy.run_to_the_end(1min));
    for (PeerId id = 0; id < 4; ++id)
      CHECK(lossy.peer(id)->model() == undisturbed.peer(id)->model());  // nobody has missed a message
    lost += lossy.network().lost;
  }
  CHECK(lost > 20);

  // One that is lost near the end needs nothing more.
  for (Duration when = end - 5ms; when < end + 3ms; when += 500us) {
    CAPTURE(when.count());
    FaultyCluster cluster(experiment, 3, {});
    lose_observer(cluster, 4, 60ms);
    cluster.lose(2, when);
    REQUIRE(cluster.run_to_the_end(1min));
    for (const PeerId id : {0u, 1u, 3u}) CHECK(cluster.end(id)->exit_code == 0);
  }
}

}  // namespace hearsay::test::policy_test
