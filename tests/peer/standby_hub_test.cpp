#include "runtime/peer/standby_hub.hpp"
#include "runtime/peer/peer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <functional>

#include "runtime/experiment/experiment.hpp"
#include "runtime/peer/hub_seat.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::standby_hub_test {

namespace {

constexpr PeerId peers = 4;
constexpr PeerId standby = 1;

Experiment<double> star(std::uint64_t iterations) {
  RunSettings settings = settings_of("fed-avg", {.family = "star", .peers = peers},
                                     {.iterations = iterations, .step_size = 0.01});
  settings.failure.policy = RunSettings::Failure::Policy::drop;
  settings.failure.hub_standby = standby;
  settings.topology.hub = HubData::none;
  settings.run.evaluate_every = iterations;
  return prepare<double>(settings, quadratic_problem<double>(5, {1, 2, 3}, Shared::nothing));
}

/// A hub, its standby and two workers, without a network: messages come in the order in which they were sent,
/// or as `on_the_way` wants them.
struct Scene {
  Scene() {
    for (PeerId id = 0; id < peers; ++id) all.push_back(make_peer(experiment, id, packets));
  }

  void start() {
    for (auto& peer : all) peer->start();
    run();
  }
  void run() {
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (auto& peer : all) goes_on |= serve(*peer);
    }
  }
  bool serve(Peer<double>& peer) {
    bool acts = true;
    if (peer.state() == PeerState::needs_gradient) {
      peer.compute_gradient();
      peer.gradient_arrived();
    } else if (peer.state() == PeerState::evaluation_due) {
      peer.evaluation_taken();
    } else {
      acts = false;
    }
    std::vector<Outgoing> sent;
    sent.swap(peer.outbox());
    for (Outgoing& message : sent)
      if (on_the_way(message)) all[message.to]->deliver(message.key, message.packet, message.metadata);
    return acts || !sent.empty();
  }

  PacketRef packet_of(std::size_t bytes) {
    PacketBuffer buffer = packets.acquire();
    std::ranges::fill(buffer.resize(bytes), std::byte{1});
    return std::move(buffer).seal();
  }
  StandbyHub<double>& second_hub() const { return *all[standby]->standby_hub(); }

  PacketPool packets;
  Experiment<double> experiment = star(6);
  std::vector<std::unique_ptr<Peer<double>>> all;
  std::function<bool(Outgoing&)> on_the_way = [](Outgoing&) { return true; };
};

}  // namespace

TEST_CASE("standby hub: it takes every step of the hub") {
  Scene scene;
  scene.start();
  for (const auto& peer : scene.all) CHECK(peer->state() == PeerState::finished);
  CHECK_FALSE(scene.second_hub().serves());
  CHECK_FALSE(scene.second_hub().is_dismissed());
  CHECK(scene.second_hub().model() == scene.all[0]->model());
  CHECK(scene.all[standby]->told_model() == scene.all[0]->model());
}

TEST_CASE("standby hub: one whose hub says something else stands by no longer, and its worker goes on") {
  Scene scene;
  scene.on_the_way = [&](Outgoing& message) {
    const bool is_third_model = message.key.sender == 0 && message.key.iteration == 3 &&
                                message.key.slot != roster_slot && message.to == standby;
    if (is_third_model) message.packet = scene.packet_of(message.packet->size());
    return true;
  };
  scene.start();
  CHECK(scene.second_hub().is_dismissed());
  CHECK(scene.second_hub().take_word() ==
        "what it computes for iteration 3 is not what the hub says, bit for bit");
  CHECK(scene.all[standby]->told_model() == scene.all[standby]->model());
  for (const auto& peer : scene.all) CHECK(peer->state() == PeerState::finished);
}

TEST_CASE("standby hub: one that lacks an answer that the hub has counted stands by no longer") {
  Scene scene;
  scene.on_the_way = [](const Outgoing& message) {
    return !(message.key.sender == 3 && message.to == standby && message.key.iteration == 2);
  };
  scene.start();
  CHECK(scene.all[standby]->state() == PeerState::needs_copies);
  CHECK(scene.all[standby]->waiting_for() == std::vector<PeerId>{3});
  CHECK(scene.all[standby]->needed_from() == 2);
  scene.all[standby]->lose(3);
  CHECK(scene.second_hub().take_word() ==
        "the hub has counted an answer of peer 3 in iteration 2 that never came here");
  scene.run();
  CHECK(scene.all[standby]->state() == PeerState::finished);
}

TEST_CASE("standby hub: it answers a round when its hub has the one before, so the hub cannot run ahead") {
  Scene scene;
  scene.on_the_way = [](const Outgoing& message) {
    return !(message.key.sender == 2 && message.to == standby && message.key.iteration >= 2);
  };
  scene.start();
  CHECK(scene.all[0]->begun() == 3);
  CHECK(scene.second_hub().has_completed(1));
  CHECK_FALSE(scene.second_hub().has_completed(2));
}

TEST_CASE("standby hub: a worker that heard both hubs say different things ends the run") {
  Scene scene;
  scene.on_the_way = [](const Outgoing& message) { return message.key.iteration < 3; };
  scene.start();
  Peer<double>& worker = *scene.all[2];
  REQUIRE(worker.state() == PeerState::needs_messages);
  const auto model = [&](PeerId sender, std::byte value) {
    PacketBuffer buffer = scene.packets.acquire();
    std::ranges::fill(buffer.resize(5 * sizeof(double)), value);
    worker.deliver({3, 0, sender}, std::move(buffer).seal());
  };
  model(0, std::byte{0});
  model(standby, std::byte{1});  // a claim, as long as the hub is there
  CHECK(worker.role().hears_claim(worker.iteration()));
  CHECK_FALSE(worker.divergence());
  worker.lose(0);
  REQUIRE(worker.divergence());
  CHECK(contains(worker.divergence()->what, "the hub and its standby have counted different answers"));
  CHECK(worker.divergence()->malformed);
}

TEST_CASE("standby hub: what comes too late, twice, or from far ahead is of no use, and counted") {
  Scene scene;
  scene.on_the_way = [](const Outgoing& message) { return message.key.iteration < 3; };
  scene.start();
  Peer<double>& worker = *scene.all[standby];
  const std::uint64_t before = worker.counters().late;
  worker.deliver({1, 0, 3}, scene.packet_of(40));
  worker.deliver({3, 0, 3}, scene.packet_of(40));
  worker.deliver({3, 0, 3}, scene.packet_of(40));
  worker.deliver({1000, 0, 3}, scene.packet_of(40));
  CHECK(worker.counters().late == before + 3);
}

}  // namespace hearsay::test::standby_hub_test
