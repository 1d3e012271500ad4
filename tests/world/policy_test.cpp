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

TEST_CASE("policy: a process without which the run goes on, and that cannot join it, ends and says so") {
  const auto cannot_be_joined = std::ranges::find_if(methods(), [](const MethodInfo& method) {
    return method.membership == Membership::exact && !method.may_be_joined && !method.pattern.has_hub &&
           !method.asynchronous;
  });
  REQUIRE(cannot_be_joined != methods().end());
  const auto experiment = dropping(cannot_be_joined->name, {.family = "ring", .peers = 5}, 2500);
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

TEST_CASE("policy: peers whose observer is gone for good train to their last iteration, and hand over") {
  const auto experiment = dropping("dcd-psgd", {.family = "ring", .peers = 4}, 1200);
  constexpr PeerId observer = 4;
  FaultyCluster cluster(experiment, 3, {});
  for (PeerId id = 0; id < 4; ++id) cluster.cut(id, observer, 60ms, long_enough);
  REQUIRE(cluster.run_to_the_end(1min));
  for (PeerId id = 0; id < 4; ++id) {
    CAPTURE(id);
    CHECK(cluster.peer(id)->iteration() == 1200);
    REQUIRE(cluster.end(id).has_value());
    CHECK(cluster.end(id)->exit_code == 0);
    CHECK(cluster.end(id)->reason.find("it has ended without an observer") == 0);
  }
}

}  // namespace hearsay::test::policy_test
