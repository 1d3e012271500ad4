#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

#include "algorithms/methods/registry.hpp"
#include "runtime/peer/peer.hpp"
#include "tests/world/dropping_runs.hpp"

// Policy "drop" with methods of which every iteration takes a part of each peer.

namespace hearsay::test::agreed_members_test {

using namespace std::chrono_literals;

namespace {

std::vector<std::string> agreeing_methods() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.membership == Membership::by_agreement) names.push_back(method.name);
  return names;
}

/// Peers whose messages arrive at once, without an observer.
class Crowd {
 public:
  Crowd(const Experiment<double>& experiment, std::vector<PeerId> members) : members_(std::move(members)) {
    for (const PeerId id : members_) {
      peers_.push_back(make_member_peer(experiment, members_, id, packets_));
      peers_.back()->keep_states();
    }
  }
  Peer<double>& operator[](PeerId id) {
    return *peers_[static_cast<std::size_t>(std::ranges::find(members_, id) - members_.begin())];
  }
  void succeed(Crowd& before, std::uint64_t completed) {
    for (const PeerId id : members_) (*this)[id].succeed(before[id], completed);
  }
  void run() {
    for (auto& peer : peers_) {
      peer->detach_from_observer();
      peer->start();
    }
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (auto& peer : peers_) goes_on |= step(*peer);
    }
  }

 private:
  bool step(Peer<double>& peer) {
    bool has_done = !peer.outbox().empty();
    for (Outgoing& message : std::exchange(peer.outbox(), {}))
      peers_[message.to]->deliver(message.key, message.packet, message.metadata);
    if (peer.state() == PeerState::needs_gradient) {
      peer.compute_gradient();
      peer.gradient_arrived();
      has_done = true;
    } else if (peer.state() == PeerState::evaluation_due) {
      peer.evaluation_taken();
      has_done = true;
    }
    return has_done;
  }

  PacketPool packets_;
  std::vector<PeerId> members_;
  std::vector<std::unique_ptr<Peer<double>>> peers_;
};

constexpr PeerId peers = 5;
const World world{.family = "ring", .peers = peers};

std::vector<PeerId> all_but(PeerId lost) {
  std::vector<PeerId> ids;
  for (PeerId id = 0; id < peers; ++id)
    if (id != lost) ids.push_back(id);
  return ids;
}

/// The models of a run that has lost `lost` from iteration `first` on.
std::vector<Vector<double>> models_without(PeerId lost, std::uint64_t first, const std::string& method,
                                           std::uint64_t iterations) {
  const auto whole = dropping(method, world, iterations);
  Crowd those_left(whole, all_but(lost));
  std::unique_ptr<Experiment<double>> beginning;
  std::unique_ptr<Crowd> all;
  if (first > 1) {
    beginning = std::make_unique<Experiment<double>>(dropping(method, world, first - 1));
    all = std::make_unique<Crowd>(*beginning, all_but(peers));
    all->run();
    those_left.succeed(*all, first - 1);
  }
  those_left.run();
  std::vector<Vector<double>> models;
  for (const PeerId id : all_but(lost)) models.push_back(those_left[id].model());
  return models;
}

}  // namespace

TEST_CASE("agreed members: a run that loses a peer has the bits of one that goes on without it from there") {
  REQUIRE(agreeing_methods().size() >= 9);
  constexpr std::uint64_t iterations = 40;
  for (const std::string& method : agreeing_methods()) {
    CAPTURE(method);
    const auto experiment = dropping(method, world, iterations);
    for (const PeerId lost : {3u, 0u, 4u}) {
      CAPTURE(lost);
      FaultyCluster cluster(experiment, 3, {});
      cluster.lose(lost, 40ms + lost * 10ms);
      REQUIRE(cluster.run_to_the_end(long_enough));
      std::vector<Vector<double>> models;
      for (const PeerId id : all_but(lost)) {
        REQUIRE(cluster.peer(id)->iteration() == iterations);
        models.push_back(cluster.peer(id)->model());
        CHECK(models.back() == models.front());
      }
      CHECK(cluster.parted == 4);
      const RunOutcome<double> outcome = cluster.outcome();
      CHECK(outcome.status == RunStatus::done);
      CHECK(outcome.dropped == std::vector<PeerId>{lost});
      std::vector<std::uint64_t> fits;
      for (std::uint64_t first = 1; first <= iterations; ++first)
        if (models_without(lost, first, method, iterations) == models) fits.push_back(first);
      CHECK(fits.size() == 1);
      CHECK(fits.front() > 1);
    }
  }
}

TEST_CASE("agreed members: without a fault the bits are those of policy wait, and nothing is said") {
  for (const std::string& method : agreeing_methods()) {
    CAPTURE(method);
    auto experiment = dropping(method, world, 40);
    FaultyCluster dropping_one(experiment, 3, {});
    std::uint64_t letters = 0;
    dropping_one.network().overhears = [&](PeerId, PeerId, const FrameHeader& header, auto) {
      letters += header.kind == FrameKind::letter;
    };
    REQUIRE(dropping_one.run(long_enough));
    CHECK(letters == 0);
    experiment.settings.failure.policy = RunSettings::Failure::Policy::wait;
    FaultyCluster waiting_one(experiment, 3, {});
    REQUIRE(waiting_one.run(long_enough));
    for (PeerId id = 0; id < peers; ++id)
      CHECK(dropping_one.peer(id)->model() == waiting_one.peer(id)->model());
  }
}

TEST_CASE("agreed members: peers are lost one after the other, and the last one goes on alone") {
  for (const std::string& method : agreeing_methods()) {
    CAPTURE(method);
    const auto experiment = dropping(method, world, 400);
    FaultyCluster cluster(experiment, 3, {});
    cluster.lose(1, 100ms);
    cluster.lose(0, 700ms);
    cluster.lose(2, 1300ms);
    cluster.lose(4, 1900ms);
    REQUIRE(cluster.run_to_the_end(long_enough));
    CHECK(cluster.peer(3)->iteration() == 400);
    CHECK(cluster.outcome().dropped == std::vector<PeerId>{0, 1, 2, 4});
  }
}

TEST_CASE("agreed members: two parts that cannot hear each other: the majority goes on, the others end") {
  const auto experiment = dropping("diloco", world, 600);
  FaultyCluster cluster(experiment, 3, {});
  for (const PeerId far : {3u, 4u})
    for (const PeerId near : {0u, 1u, 2u}) cluster.cut(near, far, 100ms, 20s);
  REQUIRE(cluster.run_to_the_end(long_enough));
  for (const PeerId id : {0u, 1u, 2u}) CHECK(cluster.peer(id)->iteration() == 600);
  for (const PeerId id : {3u, 4u}) {
    REQUIRE(cluster.end(id));
    CHECK(cluster.end(id)->exit_code == 3);
  }
  CHECK(cluster.outcome().dropped == std::vector<PeerId>{3, 4});
}

TEST_CASE(
    "agreed members: 500 seeds of deaths, standstills, partitions and bad weather, equal models in all") {
  std::uint64_t done = 0, deaths = 0, views = 0;
  for (const std::string method : {"allreduce-sgd", "streaming-diloco", "sparse-loco"}) {
    CAPTURE(method);
    const auto experiment = dropping(method, {.family = "ring", .peers = 6}, 300);
    for (std::uint64_t seed = 1; seed <= 170; ++seed) {
      CAPTURE(seed);
      RandomStream random(seed, 2, 0, Purpose::data);
      const std::size_t piece_bytes = seed % 3 == 0 ? 16 : std::numeric_limits<std::size_t>::max();
      FaultyCluster cluster(experiment, seed, {.loss = 0.01, .repeat = 0.01, .overtake = 0.01}, {},
                            piece_bytes);
      for (int fault = 0; fault < 3; ++fault) freeze_or_cut(cluster, 6, random);
      for (std::uint64_t k = random.below(3); k > 0; --k)
        cluster.lose(static_cast<PeerId>(random.below(6)), some_instant(random));
      REQUIRE(cluster.run_to_the_end(long_enough));
      deaths += cluster.crashes;
      views += cluster.parted;
      const RunOutcome<double> outcome = cluster.outcome();
      const Vector<double>* model = nullptr;
      for (PeerId id = 0; id < 6; ++id) {
        if (!cluster.peer(id) || cluster.peer(id)->iteration() < 300 || cluster.end(id)->exit_code != 0)
          continue;
        if (model) CHECK(*model == cluster.peer(id)->model());
        model = &cluster.peer(id)->model();
      }
      done += model != nullptr;
    }
  }
  CHECK(done > 450);
  CHECK(deaths > 300);
  CHECK(views > 1000);
}

}  // namespace hearsay::test::agreed_members_test
