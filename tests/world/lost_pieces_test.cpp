#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "algorithms/methods/registry.hpp"
#include "runtime/simulator/simulator.hpp"
#include "runtime/wire/long_message.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/worlds.hpp"
#include "tests/world/answered_exchanges.hpp"
#include "tests/world/dropping_runs.hpp"
#include "tests/world/faulty_cluster.hpp"
#include "tests/world/same_end.hpp"

namespace hearsay::test::lost_pieces_test {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t piece_bytes = 16;
constexpr Weather bad{.loss = 0.04, .repeat = 0.04, .overtake = 0.04};

}  // namespace

TEST_CASE("lost pieces: every synchronous method ends with the bits of the undisturbed run") {
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous) continue;
    CAPTURE(method.name);
    const auto experiment =
        quadratics_in<double>({.family = "ring", .peers = 4}, method.name, {.iterations = 30});
    FaultyCluster cluster(experiment, 7, bad, {}, piece_bytes);
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.network().lost > 10);
    check_same_end(cluster.outcome(), simulate(experiment, Duration{1000}));
  }
}

TEST_CASE("lost pieces: an asynchronous method loses no exchange") {
  for (const MethodInfo& method : methods()) {
    if (!method.asynchronous) continue;
    CAPTURE(method.name);
    const auto experiment =
        quadratics_in<double>({.family = "ring", .peers = 5}, method.name, {.iterations = 40});
    FaultyCluster cluster(experiment, 7, bad, {}, piece_bytes);
    REQUIRE(cluster.run(long_enough));
    CHECK(cluster.network().lost > 10);
    check_exchanges_answered(cluster.outcome(), 40);
  }
}

TEST_CASE("lost pieces: graphs, schedules and staleness of any kind, pieces of any length") {
  const std::vector<World> worlds = {
      {.family = "ring", .peers = 2},
      {.family = "complete", .peers = 4},
      {.family = "exponential", .peers = 8, .schedule = "one-peer-exponential"}};
  for (const World& world : worlds) {
    CAPTURE(world.name());
    const auto experiment = quadratics_in<double>(world, "d-psgd", {.iterations = 30});
    const RunOutcome<double> undisturbed = simulate(experiment, Duration{1000});
    for (std::uint64_t seed = 1; seed <= 24; ++seed) {
      CAPTURE(seed);
      FaultyCluster cluster(experiment, seed, bad, {}, seed);
      REQUIRE(cluster.run(long_enough));
      CHECK(cluster.network().lost > 0);
      check_same_end(cluster.outcome(), undisturbed);
    }
  }
}

TEST_CASE("lost pieces: peers that die amid the pieces of a message and come back change no bit") {
  for (const std::string method : {"d-psgd", "dcd-psgd", "fed-avg"}) {
    CAPTURE(method);
    auto experiment = quadratics_in<double>({.family = "ring", .peers = 4}, method, {.iterations = 40});
    experiment.settings.failure.checkpoint_every = 7;
    experiment.settings.run.evaluate_every = 3;
    const RunOutcome<double> undisturbed = simulate(experiment, Duration{1000});
    std::uint64_t crashes = 0, replayed = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      CAPTURE(seed);
      const TemporaryFolder folder("hearsay_crash");
      RandomStream random(seed, 2, 0, Purpose::data);
      FaultyCluster cluster(experiment, seed, bad, folder.path(), piece_bytes);
      const Duration when = 8ms + Duration(random.below(40'000'000));
      if (seed % 3 == 0)
        cluster.crash_all(when, when + 20ms);
      else
        cluster.crash(static_cast<PeerId>(random.below(4)), when, when + 20ms);
      REQUIRE(cluster.run(long_enough));
      crashes += cluster.crashes;
      replayed += cluster.replayed;
      check_same_end(cluster.outcome(), undisturbed);
    }
    CHECK(crashes > 12);
    CHECK(replayed > 0);
  }
}

TEST_CASE("lost pieces: edges that go and come back amid them leave every replica right") {
  constexpr PeerId peers = 6;
  std::uint64_t attached = 0;
  for (const std::string method : {"d-psgd", "dcd-psgd", "choco-sgd"})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      CAPTURE(method);
      CAPTURE(seed);
      const auto experiment = dropping(method, {.family = "ring", .peers = peers}, 600);
      FaultyCluster cluster(experiment, seed, {.loss = 0.01, .repeat = 0.01, .overtake = 0.01}, {},
                            piece_bytes);
      RandomStream random(seed, 4, 0, Purpose::data);
      for (int cut = 0; cut < 3; ++cut) {
        const auto peer = static_cast<PeerId>(random.below(peers));
        const Duration when = 100ms + Duration(random.below(300'000'000));
        cluster.cut(peer, (peer + 1) % peers, when, when + 300ms + Duration(random.below(700'000'000)));
      }
      REQUIRE(cluster.run(long_enough));
      const RunOutcome<double> outcome = cluster.outcome();
      CHECK(outcome.status == RunStatus::done);
      CHECK(outcome.dropped.empty());
      if (method != "d-psgd") CHECK(replicas_consistent(outcome.peers) == true);
      check_no_resync(outcome);
      check_rows(cluster, peers);
      attached += cluster.attached;
    }
  CHECK(attached > 30);
}

TEST_CASE(
    "lost pieces: a sender sends what its receiver can take, and a method that mixes pieces takes few") {
  for (const std::string method : {"d-psgd", "gradient-tracking", "dcd-psgd"}) {
    CAPTURE(method);
    const bool mixes_pieces = method != "dcd-psgd";
    const auto experiment = quadratics_in<double>({.family = "complete", .peers = 5}, method,
                                                  {.iterations = 20}, Shared::nothing, 40);
    FaultyCluster cluster(experiment, 3, bad, {}, piece_bytes);
    std::map<std::tuple<PeerId, PeerId, std::uint64_t, Slot>, std::uint32_t> permitted;
    std::uint64_t pieces = 0, most_at_first = 0;
    cluster.network().overhears = [&](PeerId from, PeerId to, const FrameHeader& header, auto) {
      if (header.kind == FrameKind::takes_pieces) {
        const auto word = to_neighbor::as_takes_pieces(header);
        auto& known = permitted[{to, from, word.iteration, word.slot}];
        if (known == 0) most_at_first = std::max<std::uint64_t>(most_at_first, word.pieces);
        known = std::max(known, word.pieces);
      }
      if (header.kind != FrameKind::message_piece) return;
      const auto known = permitted.find({from, to, header.iteration, header.slot});
      const std::uint32_t may = known == permitted.end() ? 0 : known->second;
      CHECK(to_neighbor::as_message_piece(header).number < std::max(to_neighbor::pieces_at_once, may));
      ++pieces;
    };
    REQUIRE(cluster.run(long_enough));
    CHECK(pieces > 1000);
    check_same_end(cluster.outcome(), simulate(experiment, Duration{1000}));
    if (mixes_pieces) CHECK(most_at_first < 20);   // of twenty
    if (!mixes_pieces) CHECK(most_at_first == 3);  // all
  }
}

TEST_CASE("lost pieces: where nothing is lost, nothing is sent twice, and bytes are counted as ever") {
  const auto experiment = quadratics_in<double>({.family = "ring", .peers = 5}, "d-psgd", {.iterations = 50});
  FaultyCluster cluster(experiment, 1, {}, {}, piece_bytes);
  std::uint64_t pieces = 0;
  cluster.network().overhears = [&](PeerId, PeerId, const FrameHeader& header, auto payload) {
    pieces += header.kind == FrameKind::message_piece;
    if (header.kind == FrameKind::data) CHECK(payload.size() <= piece_bytes);
  };
  REQUIRE(cluster.run(long_enough));
  CHECK(pieces > 500);
  CHECK(cluster.counters().gaps == 0);
  CHECK(cluster.counters().repeated == 0);
  CHECK(cluster.counters().retransmitted == 0);
  const RunOutcome<double> undisturbed = simulate(experiment, Duration{1000});
  check_same_end(cluster.outcome(), undisturbed);
  for (PeerId id = 0; id < 5; ++id)
    CHECK(cluster.outcome().peers[id].meters.bytes_sent == undisturbed.peers[id].meters.bytes_sent);
}

}  // namespace hearsay::test::lost_pieces_test
