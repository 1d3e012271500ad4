#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/record/one_sided_mixing.hpp"
#include "runtime/record/summary.hpp"
#include "tests/world/dropping_runs.hpp"

namespace hearsay::test::membership_test {

using namespace std::chrono_literals;

namespace {

/// Cuts a ring of six into 0 1 2 with the observer, and 3 4 5.
void cut_in_halves(FaultyCluster& cluster, Duration from, Duration until) {
  constexpr PeerId observer = 6;
  cluster.cut(2, 3, from, until);
  cluster.cut(5, 0, from, until);
  for (const PeerId far : {3u, 4u, 5u}) cluster.cut(far, observer, from, until);
}

/// Those with a hub: hub_membership_test.cpp.
std::vector<std::string> exact_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.membership == Membership::exact && !method.pattern.has_hub) names.push_back(method.name);
  return names;
}

}  // namespace

TEST_CASE("membership: when a peer is gone the others go on without it, whatever the method") {
  REQUIRE(exact_methods().size() > 5);
  std::uint64_t compared = 0;
  for (const std::string& method : exact_methods()) {
    CAPTURE(method);
    const auto experiment = dropping(method, {.family = "torus(3x3)", .peers = 9}, 200);
    FaultyCluster cluster(experiment, 3, {});
    cluster.lose(4, 60ms);
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.crashes == 1);
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.dropped == std::vector<PeerId>{4});
    CHECK(cluster.parted == 4);
    check_rows(cluster, 9);
    for (PeerId id = 0; id < 9; ++id)
      if (id != 4) CHECK(cluster.peer(id)->iteration() == 200);
    CHECK(weight_of(cluster.rows(1).back(), 0) == 1.0 / 5.0);  // peer 1 has three neighbors now, peer 0 four
    CHECK(replicas_consistent(outcome.peers) != std::optional(false));
    compared += check_no_resync(outcome);
  }
  CHECK(compared > 100);
}

TEST_CASE(
    "membership: two halves go on apart, and come together when the link is back, whatever the method") {
  std::uint64_t compared = 0;
  for (const std::string& method : exact_methods()) {
    CAPTURE(method);
    constexpr PeerId peers = 6;
    const auto experiment = dropping(method, {.family = "ring", .peers = peers}, 2500);
    FaultyCluster cluster(experiment, 3, {});
    cut_in_halves(cluster, 20ms, 1800ms);
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    CHECK(outcome.status == RunStatus::done);
    CHECK(outcome.dropped.empty());
    CHECK(outcome.returned == 3);
    CHECK(cluster.parted == 4);
    CHECK(cluster.attached == 4);
    check_rows(cluster, peers);
    CHECK(cluster.rows(2).back().hears.size() == 2);
    CHECK(replicas_consistent(outcome.peers) != std::optional(false));
    compared += check_no_resync(outcome);
  }
  CHECK(compared > 100);
}

TEST_CASE(
    "membership: neither parting nor coming together moves the mean, but for edges taken out one-sidedly") {
  for (const std::string method : {"d-psgd", "choco-sgd"}) {
    CAPTURE(method);
    constexpr PeerId peers = 6;
    const auto experiment = dropping(method, {.family = "ring", .peers = peers}, 2500);
    FaultyCluster cluster(experiment, 3, {});
    cut_in_halves(cluster, 20ms, 1800ms);
    REQUIRE(cluster.run(long_enough));
    Vector<double> mean = Vector<double>::Zero(5);
    for (PeerId id = 0; id < peers; ++id) mean += cluster.peer(id)->model() / peers;
    CHECK(cluster.attached == 4);
    CHECK(check_rows(cluster, peers) == 0);
    CHECK((mean - experiment.problem.initial).norm() < 1e-12);
  }
}

TEST_CASE(
    "membership: the mean moves where, and only where, an edge is recorded to have been mixed along from one "
    "end") {
  constexpr PeerId peers = 6;
  const auto experiment = dropping("d-psgd", {.family = "ring", .peers = peers}, 400);
  int kept = 0, moved = 0;
  for (std::uint64_t seed = 1; seed <= 240; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, 4, 0, Purpose::data);
    FaultyCluster cluster(experiment, seed, {.loss = 0.01, .repeat = 0.01, .overtake = 0.01});
    for (int cut = 0; cut < 3; ++cut) {
      const auto peer = static_cast<PeerId>(random.below(peers));
      const Duration when = 100ms + Duration(random.below(300'000'000));
      cluster.cut(peer, (peer + 1) % peers, when, when + Duration(random.below(1'000'000'000)));
    }
    REQUIRE(cluster.run(long_enough));
    const RunOutcome<double> outcome = cluster.outcome();
    REQUIRE(outcome.dropped.empty());
    Vector<double> mean = Vector<double>::Zero(5);
    for (PeerId id = 0; id < peers; ++id) mean += cluster.peer(id)->model() / peers;
    const bool same = (mean - experiment.problem.initial).norm() < 1e-12;
    CHECK(same == one_sided_mixings(outcome.peers).empty());
    ++(same ? kept : moved);
  }
  CHECK(kept > 20);
  CHECK(moved > 20);
}

TEST_CASE("membership: a replica that goes wrong while edges go and come back is right again in the end") {
  std::uint64_t resyncs = 0;
  for (const std::string method : {"dcd-psgd", "choco-sgd"})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(method);
      CAPTURE(seed);
      constexpr PeerId peers = 6;
      const auto experiment = dropping(method, {.family = "ring", .peers = peers}, 2500);
      FaultyCluster cluster(experiment, seed, {.loss = 0.01, .repeat = 0.01, .overtake = 0.01});
      cut_in_halves(cluster, 200ms, 1800ms);
      RandomStream random(seed, 3, 0, Purpose::data);
      for (PeerId holder = 0; holder < peers; ++holder) cluster.corrupt(holder, 50 + random.below(2300));
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.corrupted == peers);
      CHECK(cluster.parted >= 4);
      CHECK(cluster.attached >= 4);
      check_rows(cluster, peers);
      const RunOutcome<double> outcome = cluster.outcome();
      CHECK(outcome.status == RunStatus::done);
      CHECK(replicas_consistent(outcome.peers) == true);
      for (const PeerOutcome& peer : outcome.peers) {
        resyncs += peer.meters.counters.resyncs;
        CHECK(peer.meters.counters.unfit_copies == 0);
      }
    }
  CHECK(resyncs > 40);
}

TEST_CASE(
    "membership: messages that are read near a prediction are, too, after edges have gone and come back") {
  for (const std::string method : {"dcd-psgd", "choco-sgd"}) {
    CAPTURE(method);
    constexpr PeerId peers = 6;
    const auto models_with = [&](const std::string& side_information) {
      CAPTURE(side_information);
      const auto experiment = dropping(
          method, {.family = "ring", .peers = peers}, 2500, 10, {},
          {.compressor = "grid(step=0.001)", .options = {{option::side_information, side_information}}});
      FaultyCluster cluster(experiment, 3, {});
      cut_in_halves(cluster, 20ms, 1800ms);
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.attached == 4);
      CHECK(replicas_consistent(cluster.outcome().peers) == true);
      CHECK(check_no_resync(cluster.outcome()) > 10);
      std::vector<Vector<double>> models;
      for (PeerId id = 0; id < peers; ++id) models.push_back(cluster.peer(id)->model());
      return models;
    };
    const auto without = models_with("none");
    for (const std::string side_information : {"replica", "last", "mean"})
      CHECK(models_with(side_information) == without);
  }
}

TEST_CASE("membership: edges of a method whose models must stay close do not come back, and all end well") {
  const auto experiment = dropping("moniqua", {.family = "ring", .peers = 6}, 2500);
  REQUIRE(experiment.method->membership == Membership::no_return);
  FaultyCluster cluster(experiment, 3, {});
  cut_in_halves(cluster, 20ms, 1800ms);
  REQUIRE(cluster.run(long_enough));
  CHECK(cluster.parted == 4);
  CHECK(cluster.attached == 0);
  CHECK(cluster.outcome().status == RunStatus::done);
  CHECK(cluster.outcome().returned == 3);  // to the observer
}

TEST_CASE(
    "membership: 1,000 seeds of deaths, standstills, partitions and bad weather end well, W symmetric in "
    "all") {
  const std::vector<World> worlds = {{.family = "ring", .peers = 6},
                                     {.family = "path", .peers = 4},
                                     {.family = "star", .peers = 5, .weights = "lazy"},
                                     {.family = "torus(3x3)", .peers = 9}};
  std::uint64_t deaths = 0, attached = 0, returned = 0, parted = 0, all_lost = 0, compared = 0;
  for (const World& world : worlds) {
    CAPTURE(world.name());
    const auto experiment = dropping("dcd-psgd", world, 400);
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
      CAPTURE(seed);
      RandomStream random(seed, 2, 0, Purpose::data);
      FaultyCluster cluster(experiment, seed, {.loss = 0.01, .repeat = 0.01, .overtake = 0.01});
      for (int fault = 0; fault < 3; ++fault) freeze_or_cut(cluster, world.peers, random);
      const auto victim = static_cast<PeerId>(random.below(world.peers));
      if (random.below(2) == 0) cluster.lose(victim, some_instant(random));
      REQUIRE(cluster.run(long_enough));
      const RunOutcome<double> outcome = cluster.outcome();
      check_rows(cluster, world.peers);
      if (outcome.dropped.size() == world.peers) {  // the observer heard no peer
        CHECK(outcome.reason == "all peers were lost");
        ++all_lost;
        continue;
      }
      CHECK_MESSAGE(outcome.status == RunStatus::done, outcome.reason);
      CHECK(replicas_consistent(outcome.peers) != std::optional(false));
      compared += check_no_resync(outcome);
      deaths += cluster.crashes;
      attached += cluster.attached;
      parted += cluster.parted;
      returned += outcome.returned;
    }
  }
  CHECK(compared > 10'000);
  CHECK(all_lost < 10);  // of four peers at most
  CHECK(deaths > 300);
  CHECK(parted > 500);
  CHECK(attached > 200);
  CHECK(returned > 100);
}

}  // namespace hearsay::test::membership_test
