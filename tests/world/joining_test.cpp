#include <doctest/doctest.h>

#include "algorithms/methods/registry.hpp"
#include "runtime/record/summary.hpp"
#include "tests/world/dropping_runs.hpp"

namespace hearsay::test::joining_test {

using namespace std::chrono_literals;

// Whole runs that a peer joins, anew or for the first time.

namespace {

/// Those with a hub: hub_membership_test.cpp.
std::vector<std::string> methods_that_may_be_joined() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.may_be_joined && !method.pattern.has_hub) names.push_back(method.name);
  return names;
}

}  // namespace

TEST_CASE("joining: a method that may be joined has an exact membership, and not all of those may be") {
  for (const MethodInfo& method : methods())
    if (method.may_be_joined) CHECK_MESSAGE(method.membership == Membership::exact, method.name);
  CHECK_FALSE(find_method("dpsvrg").may_be_joined);
}

TEST_CASE("joining: a peer that was killed and has nothing left joins anew, whatever the method") {
  REQUIRE(methods_that_may_be_joined().size() > 5);
  for (const std::string& method : methods_that_may_be_joined()) {
    CAPTURE(method);
    const auto experiment = dropping(method, {.family = "torus(3x3)", .peers = 9}, 1500);
    FaultyCluster cluster(experiment, 3, {});
    cluster.replace(4, 60ms, 700ms);
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK(cluster.crashes == 1);
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.dropped.empty());
    CHECK(outcome.returned == 0);
    CHECK(outcome.joined == std::vector<PeerId>{4});
    CHECK(cluster.joined == 1);
    CHECK(cluster.attached == 8);
    CHECK(check_rows(cluster, 9) <= 4);
    check_no_resync(outcome);
    for (PeerId id = 0; id < 9; ++id) CHECK(cluster.peer(id)->iteration() == 1500);
    CHECK(cluster.rows(4).back().hears.size() == 4);
    CHECK(weight_of(cluster.rows(1).back(), 4) == 1.0 / 5.0);
    CHECK(replicas_consistent(outcome.peers) != std::optional(false));
  }
}

TEST_CASE("joining: one that joins begins with the bits of a neighbor's model, between two iterations") {
  for (const std::string& method : methods_that_may_be_joined()) {
    CAPTURE(method);
    const auto experiment = dropping(method, {.family = "ring", .peers = 5}, 600, 1);
    FaultyCluster cluster(experiment, 3, {});
    cluster.replace(2, 60ms, 500ms);
    REQUIRE(cluster.run(long_enough));
    REQUIRE(cluster.entries.size() == 1);
    const Witness::Entry& entry = cluster.entries.front();
    CHECK(entry.peer == 2);
    CHECK(entry.from == 1);
    CHECK(entry.iteration > 0);
    const Vector<double>* const model = cluster.evaluated_model(entry.from, entry.iteration);
    REQUIRE(model);
    CHECK(*model == entry.model);
  }
}

TEST_CASE(
    "joining: 400 seeds of peers that are replaced, amid the other faults, end well, W symmetric in all") {
  const std::vector<World> worlds = {{.family = "ring", .peers = 6},
                                     {.family = "star", .peers = 5, .weights = "lazy"},
                                     {.family = "complete", .peers = 4},
                                     {.family = "torus(3x3)", .peers = 9}};
  std::uint64_t joined = 0, attached = 0, crashes = 0, returned = 0, compared = 0;
  for (const World& world : worlds) {
    CAPTURE(world.name());
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      CAPTURE(seed);
      const std::vector<std::string> methods = methods_that_may_be_joined();
      const auto experiment = dropping(methods[seed % methods.size()], world, 800);
      RandomStream random(seed, 3, 0, Purpose::data);
      FaultyCluster cluster(experiment, seed, {.loss = 0.01, .repeat = 0.01, .overtake = 0.01});
      for (int fault = 0; fault < 2; ++fault) freeze_or_cut(cluster, world.peers, random);
      for (int fault = 0; fault < 2; ++fault) {
        const Duration when = some_instant(random);
        // At once, before the others have noticed its loss, or later.
        const Duration away = random.below(3) == 0 ? Duration(random.below(20'000'000)) : a_while(random);
        cluster.replace(1 + static_cast<PeerId>(random.below(world.peers - 1)), when, when + away);
      }
      REQUIRE(cluster.run(long_enough));
      const RunOutcome<double> outcome = cluster.outcome();
      check_rows(cluster, world.peers);
      if (outcome.dropped.size() == world.peers) {  // the observer heard no peer
        CHECK(outcome.reason == "all peers were lost");
        continue;
      }
      CHECK_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
      CHECK(replicas_consistent(outcome.peers) != std::optional(false));
      compared += check_no_resync(outcome);
      joined += cluster.joined;
      attached += cluster.attached;
      crashes += cluster.crashes;
      returned += outcome.returned;
    }
  }
  CHECK(crashes > 500);
  CHECK(joined > 300);
  CHECK(attached > 600);
  CHECK(returned > 50);
  CHECK(compared > 1000);
}

TEST_CASE("joining: a run begins without those that join later, and ends with all, whatever the method") {
  for (const std::string& method : methods_that_may_be_joined()) {
    CAPTURE(method);
    const auto experiment = dropping(method, {.family = "torus(3x3)", .peers = 9}, 1500, 10, {1, 4});
    FaultyCluster cluster(experiment, 3, {});
    cluster.begin_late(1, 300ms);
    cluster.begin_late(4, 20ms);
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.dropped.empty());
    CHECK(outcome.joined == std::vector<PeerId>{1, 4});
    CHECK(cluster.joined == 2);
    CHECK(cluster.attached == 14);  // seven edges
    CHECK(cluster.parted == 0);
    CHECK(check_rows(cluster, 9) == 0);
    CHECK(cluster.rows(0).front().hears.size() == 3);  // without peer 1
    CHECK(weight_of(cluster.rows(0).front(), 2) == 1.0 / 4.0);
    CHECK(weight_of(cluster.rows(0).back(), 2) == 1.0 / 5.0);
    check_no_resync(outcome);
    CHECK(replicas_consistent(outcome.peers) != std::optional(false));
  }
}

TEST_CASE("joining: a run goes to its end where those that were to join later never come") {
  const auto experiment = dropping("dcd-psgd", {.family = "ring", .peers = 6}, 300, 10, {2});
  FaultyCluster cluster(experiment, 3, {});
  REQUIRE(cluster.run(long_enough));
  CHECK(cluster.outcome().status == RunStatus::done);
  CHECK(cluster.outcome().dropped.empty());  // a peer that has not joined yet is not lost
  CHECK(cluster.outcome().peers[2].gone);
  CHECK(cluster.outcome().joined.empty());
  CHECK(check_rows(cluster, 6) == 0);
  CHECK(cluster.outcome().evaluations.size() == 31);
}

TEST_CASE("joining: 200 seeds of peers that come late, in bad weather, end well, W symmetric in all") {
  std::uint64_t joined = 0, asked_another = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    const auto experiment = dropping("choco-sgd", {.family = "torus(3x3)", .peers = 9}, 600, 10, {2, 5, 7});
    RandomStream random(seed, 4, 0, Purpose::data);
    FaultyCluster cluster(experiment, seed, {.loss = 0.02, .repeat = 0.02, .overtake = 0.02});
    for (const PeerId id : {2u, 5u, 7u}) cluster.begin_late(id, Duration(random.below(900'000'000)));
    cluster.freeze(1, 100ms, 100ms + Duration(random.below(800'000'000)));
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    check_rows(cluster, 9);
    CHECK_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
    CHECK(replicas_consistent(outcome.peers) != std::optional(false));
    check_no_resync(outcome);
    joined += outcome.joined.size();
    for (const Witness::Entry& entry : cluster.entries) asked_another += entry.from != 1 ? 1 : 0;
  }
  CHECK(joined > 500);
  CHECK(asked_another > 200);
}

}  // namespace hearsay::test::joining_test
