#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/peer/replica_watch.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/worlds.hpp"
#include "tests/world/faulty_cluster.hpp"

namespace hearsay::test::replica_safety_test {

using namespace std::chrono_literals;

namespace {

constexpr Duration long_enough = std::chrono::hours(1);  // of virtual time
const World ring_of_five = {.family = "ring", .peers = 5};

PeerCounters sum_of(const std::vector<PeerOutcome>& peers) {
  PeerCounters sum;
  for (const PeerOutcome& peer : peers) {
    sum.digests_compared += peer.meters.counters.digests_compared;
    sum.digests_differed += peer.meters.counters.digests_differed;
    sum.resyncs += peer.meters.counters.resyncs;
    sum.unfit_copies += peer.meters.counters.unfit_copies;
  }
  return sum;
}

/// Returns the peers that keep replicas: all, or the workers of a hub.
std::vector<PeerId> holders_of(const MethodInfo& method, PeerId peers) {
  std::vector<PeerId> holders = first_peers(peers);
  if (method.pattern.has_hub) holders.erase(holders.begin());
  return holders;
}

/// Returns the methods that keep replicas.
std::vector<MethodInfo> replica_methods() {
  std::vector<MethodInfo> found;
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous) continue;
    const auto run = simulate(
        quadratics_in<double>({.family = "ring", .peers = 3}, method.name, {.iterations = 1}), Duration{0});
    // In a method with a hub one role may keep them, and the other none.
    if (std::ranges::any_of(run.peers,
                            [](const PeerOutcome& peer) { return !peer.digests.replicas.empty(); }))
      found.push_back(method);
  }
  return found;
}

template <class Scalar>
void check_undisturbed(const std::string& method) {
  const std::uint64_t rounds = 3;
  const auto run = simulate(
      quadratics_in<Scalar>(ring_of_five, method, {.iterations = rounds * digest_every + 1}), Duration{1000});
  const PeerCounters counted = sum_of(run.peers);
  REQUIRE(run.status == RunStatus::done);
  const std::uint64_t replicas = find_method(method).pattern.has_hub ? 4 : 5 * 2;
  CHECK(counted.digests_compared == rounds * replicas);
  CHECK(counted.digests_differed == 0);
  CHECK(counted.resyncs == 0);
  CHECK(counted.unfit_copies == 0);
}

}  // namespace

TEST_CASE(
    "replica safety: in an undisturbed run every digest of every replica is compared, and none differs") {
  const std::vector<MethodInfo> methods = replica_methods();
  CHECK(methods.size() >= 5);
  for (const MethodInfo& method : methods) {
    CAPTURE(method.name);
    check_undisturbed<float>(method.name);
    check_undisturbed<double>(method.name);
  }
}

TEST_CASE(
    "replica safety: a flipped bit in a replica is noticed by the next digest, and one resync mends it") {
  for (const MethodInfo& method : replica_methods())
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(method.name);
      CAPTURE(seed);
      const auto experiment = quadratics_in<double>(ring_of_five, method.name, {.iterations = 100});
      FaultyCluster cluster(experiment, seed, {});
      const std::vector<PeerId> holders = holders_of(method, 5);
      cluster.corrupt(holders[seed % holders.size()], 3 + seed * 37 % 40);
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.corrupted == 1);
      const RunOutcome<double> outcome = cluster.outcome();
      const PeerCounters counted = sum_of(outcome.peers);
      REQUIRE(outcome.status == RunStatus::done);
      CHECK(counted.digests_differed == 1);
      CHECK(counted.resyncs == 1);
      CHECK(replicas_consistent(outcome.peers) == true);
    }
}

TEST_CASE(
    "replica safety: with side information, too, a flipped bit ends no run, and one resync mends what it "
    "did") {
  std::uint64_t mended = 0;
  for (const std::string method : {"dcd-psgd", "choco-sgd"})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      CAPTURE(method);
      CAPTURE(seed);
      const auto experiment = quadratics_in<double>(ring_of_five, method,
                                                    {.compressor = "grid(step=0.001)",
                                                     .iterations = 100,
                                                     .options = {{option::side_information, "last"}}});
      FaultyCluster cluster(experiment, seed, {});
      cluster.corrupt(static_cast<PeerId>(seed % 5), 3 + seed * 37 % 40);
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.corrupted == 1);
      const RunOutcome<double> outcome = cluster.outcome();
      REQUIRE(outcome.status == RunStatus::done);
      CHECK(sum_of(outcome.peers).resyncs <= 1);  // none if it was in a last message, and did not matter
      mended += sum_of(outcome.peers).resyncs;
      CHECK(replicas_consistent(outcome.peers) == true);
    }
  CHECK(mended > 20);
}

TEST_CASE("replica safety: the same under lost, doubled and reordered frames, 40 seeds of the weather") {
  std::uint64_t late = 0;
  for (const MethodInfo& method : replica_methods())
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(method.name);
      CAPTURE(seed);
      const auto experiment = quadratics_in<double>(ring_of_five, method.name, {.iterations = 250});
      FaultyCluster cluster(experiment, seed, {.loss = 0.05, .repeat = 0.05, .overtake = 0.05});
      const std::vector<PeerId> holders = holders_of(method, 5);
      cluster.corrupt(holders[seed % holders.size()], 3 + seed * 37 % 40);
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.corrupted == 1);
      CHECK(cluster.network().lost > 10);
      const RunOutcome<double> outcome = cluster.outcome();
      const PeerCounters counted = sum_of(outcome.peers);
      REQUIRE(outcome.status == RunStatus::done);
      // If a later frame overtakes a question or a copy, the next digest asks again.
      CHECK(counted.digests_differed >= 1);
      late += counted.digests_differed - 1;
      CHECK(counted.resyncs == 1);
      CHECK(counted.unfit_copies == 0);
      CHECK(replicas_consistent(outcome.peers) == true);
    }
  CHECK(late > 0);
}

TEST_CASE("replica safety: a wrong replica at every peer at once, and once more, and all come right") {
  for (const MethodInfo& method : replica_methods()) {
    CAPTURE(method.name);
    const auto experiment = quadratics_in<double>(ring_of_five, method.name, {.iterations = 200});
    FaultyCluster cluster(experiment, 5, {});
    const std::vector<PeerId> holders = holders_of(method, 5);
    for (const PeerId holder : holders)
      for (const std::uint64_t iteration : {20, 50}) cluster.corrupt(holder, iteration);
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.corrupted == 2 * holders.size());
    const RunOutcome<double> outcome = cluster.outcome();
    REQUIRE(outcome.status == RunStatus::done);
    CHECK(sum_of(outcome.peers).resyncs == 2 * holders.size());
    CHECK(replicas_consistent(outcome.peers) == true);
  }
}

TEST_CASE(
    "replica safety: a holder killed with a wrong replica comes back with a right one, and what it had said "
    "meanwhile is mended at its hearers") {
  std::uint64_t mended = 0;
  for (const MethodInfo& method : replica_methods()) {
    // Without gradients, or with a hub, iterations take other times.
    if (!method.trains || method.pattern.has_hub) continue;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(method.name);
      CAPTURE(seed);
      const TemporaryFolder folder("hearsay_replica_safety");
      auto experiment =
          quadratics_in<double>({.family = "ring", .peers = 4}, method.name, {.iterations = 100});
      experiment.settings.failure.checkpoint_every = 25;
      experiment.settings.run.evaluate_every = 50;
      FaultyCluster cluster(experiment, seed, {}, folder.path());
      cluster.corrupt_and_crash(2, 27, 3ms, 12ms);  // so it dies before the next digest
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.corrupted == 1);
      CHECK(cluster.crashes == 1);
      CHECK(cluster.replayed > 0);
      const RunOutcome<double> outcome = cluster.outcome();
      REQUIRE(outcome.status == RunStatus::done);
      mended += sum_of(outcome.peers).resyncs;  // none if the method had not sent the wrong entry
      CHECK(outcome.peers[2].meters.counters.resyncs == 0);
      CHECK(replicas_consistent(outcome.peers) == true);
    }
  }
  CHECK(mended > 10);
}

TEST_CASE("replica safety: where links change, or nothing is published, no digest is sent") {
  for (const std::pair<std::string, World>& tried : std::vector<std::pair<std::string, World>>{
           {"dcd-psgd", {.family = "exponential", .peers = 8, .schedule = "one-peer-exponential"}},
           {"d-psgd", ring_of_five}}) {
    CAPTURE(tried.first);
    const auto run =
        simulate(quadratics_in<double>(tried.second, tried.first, {.iterations = 40}), Duration{1000});
    CHECK(sum_of(run.peers).digests_compared == 0);
  }
}

}  // namespace hearsay::test::replica_safety_test
