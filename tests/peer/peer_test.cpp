#include "runtime/peer/peer.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>

#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::peer_test {

namespace {

/// Runs a peer without a driver until it waits for messages, or for a verdict, or has ended.
void run_until_it_waits(Peer<double>& peer) {
  for (;;) {
    if (peer.state() == PeerState::evaluation_due)
      peer.evaluation_taken();
    else if (peer.state() == PeerState::needs_gradient) {
      peer.compute_gradient();
      peer.gradient_arrived();
    } else {
      return;
    }
  }
}

/// The first message to `to` in the sender's outbox.
Outgoing message_for(Peer<double>& sender, PeerId to) {
  for (const Outgoing& outgoing : sender.outbox())
    if (outgoing.to == to) return outgoing;
  return {};
}

}  // namespace

TEST_CASE("inbox: a message is taken once, under its own key only, and old ones are dropped") {
  PacketPool pool;
  const auto packet = [&] { return pool.acquire().seal(); };
  Inbox inbox(8);
  CHECK(inbox.file({2, 0, 7}, packet()) == Inbox::Filing::filed);
  CHECK(inbox.file({2, 0, 7}, packet()) == Inbox::Filing::duplicate);
  CHECK(inbox.file({1, 0, 7}, packet()) == Inbox::Filing::filed);
  CHECK(inbox.file({2, 0, 3}, packet()) == Inbox::Filing::filed);
  CHECK(inbox.size() == 3);
  CHECK(!inbox.take({2, 1, 7}));
  CHECK(inbox.take({2, 0, 7}));
  CHECK(inbox.size() == 1);  // peer 7's message of iteration 1 was dropped, too
  CHECK(!inbox.take({2, 0, 7}));
  CHECK(inbox.take({2, 0, 3}));
  CHECK(inbox.size() == 0);
}

TEST_CASE("inbox: a sender that runs away meets a bound") {
  PacketPool pool;
  Inbox inbox(8);
  const std::size_t limit = Inbox::limit_per_sender(8, 0);
  for (std::uint64_t iteration = 1; iteration <= limit; ++iteration)
    REQUIRE(inbox.file({iteration, 0, 1}, pool.acquire().seal()) == Inbox::Filing::filed);
  CHECK(inbox.file({limit + 1, 0, 1}, pool.acquire().seal()) == Inbox::Filing::overflow);
}

TEST_CASE("peer: messages may come early, late, twice and in any order") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "ring", 4, 6);
  PacketPool pool;
  std::vector<std::unique_ptr<Peer<double>>> peers;
  for (PeerId id = 0; id < 4; ++id) {
    peers.push_back(make_peer(experiment, id, pool));
    peers.back()->start();
    run_until_it_waits(*peers.back());
    REQUIRE(peers.back()->state() == PeerState::needs_messages);
  }
  Peer<double>& peer = *peers[0];
  CHECK(peer.waiting_for() == std::vector<PeerId>{1, 3});
  const Outgoing from_one = message_for(*peers[1], 0);
  const Outgoing from_three = message_for(*peers[3], 0);

  peer.deliver({2, 0, 3}, from_three.packet);  // a message of the next iteration, early
  CHECK(peer.state() == PeerState::needs_messages);
  peer.deliver(from_three.key, from_three.packet);
  peer.deliver(from_three.key, from_three.packet);
  CHECK(peer.counters().duplicate == 1);
  CHECK(peer.waiting_for() == std::vector<PeerId>{1});
  peer.deliver(from_one.key, from_one.packet);
  CHECK(peer.iteration() == 1);
  run_until_it_waits(peer);
  CHECK(peer.waiting_for() == std::vector<PeerId>{1});  // the early message of peer 3 was kept
  peer.deliver(from_one.key, from_one.packet);
  CHECK(peer.counters().late == 1);
}

TEST_CASE("peer: a long message is copied from the model when it leaves, and before the model changes") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "ring", 2, 6);
  PacketPool pool;
  const auto begun = [&](PeerId id, std::size_t lends_beyond) {
    auto peer = make_peer(experiment, id, pool);
    peer->lend_beyond(lends_beyond);
    peer->start();
    REQUIRE(peer->state() == PeerState::needs_gradient);
    return peer;
  };
  // Nobody else may write into a model. Here it shows when the last coordinate is copied.
  const auto last_sent = [](Peer<double>& peer, PeerId to) {
    const PacketRef packet = message_for(peer, to).packet;
    packet->bytes(0, sizeof(double));
    const_cast<Vector<double>&>(peer.model())[5] = 7.0;
    double last = 0.0;
    std::memcpy(&last, packet->bytes().last(sizeof last).data(), sizeof last);
    return last;
  };
  CHECK(last_sent(*begun(0, 47), 1) == 7.0);
  CHECK(last_sent(*begun(0, 48), 1) == 0.0);

  const auto peer = begun(0, 16), other = begun(1, 16);
  const PacketRef sent = message_for(*peer, 1).packet;
  run_until_it_waits(*peer);
  run_until_it_waits(*other);
  const Outgoing answer = message_for(*other, 0);
  peer->deliver(answer.key, answer.packet);
  CHECK(peer->model() != Vector<double>::Zero(6));
  for (const std::byte byte : sent->bytes()) CHECK(byte == std::byte{0});
}

TEST_CASE("peer: the storage of a long message that has left is free while the gradient is computed") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "ring", 2, 6);
  for (const std::size_t bytes_left : {8u, 40u, 48u}) {
    CAPTURE(bytes_left);
    PacketPool pool;
    const auto peer = make_peer(experiment, 0, pool);
    peer->lend_beyond(16);
    peer->start();
    REQUIRE(peer->state() == PeerState::needs_gradient);
    PacketRef message = message_for(*peer, 1).packet;
    peer->outbox().clear();
    const std::byte* const storage = message->bytes(0, bytes_left).data();
    peer->let_go_of_copied();
    message = {};
    const bool is_free = pool.acquire(48).resize(48).data() == storage;
    CHECK(is_free == (bytes_left == 48));  // else the rest is still to be copied
  }
}

TEST_CASE("peer: a verdict takes effect evaluate_every iterations after its evaluation") {
  auto experiment = quadratic_experiment<double>("d-psgd", "ring", 1, 6);
  experiment.iterations = 100;
  experiment.settings.run.evaluate_every = 5;
  PacketPool pool;
  const auto peer = make_peer(experiment, 0, pool);
  peer->start();
  run_until_it_waits(*peer);
  CHECK(peer->iteration() == 5);  // without a verdict the peer runs to the next evaluation, and no further
  CHECK(peer->state() == PeerState::needs_verdict);
  peer->verdict(0, true);
  run_until_it_waits(*peer);
  CHECK(peer->iteration() == 10);
  peer->verdict(5, false);
  CHECK(peer->state() == PeerState::finished);
  CHECK(peer->iteration() == 10);
}

TEST_CASE(
    "peer: it is evaluated after the iterations that verdicts announce, and does not pass one without") {
  auto experiment = quadratic_experiment<double>("d-psgd", "ring", 1, 6);
  experiment.iterations = 20;
  experiment.settings.run.evaluate_every = 1;
  experiment.settings.run.evaluate_period = std::chrono::seconds(1);
  PacketPool pool;
  const auto peer = make_peer(experiment, 0, pool);
  peer->start();
  run_until_it_waits(*peer);
  CHECK(peer->state() == PeerState::needs_verdict);
  CHECK(peer->iteration() == 1);
  peer->verdict(0, true, {.to_next = 1, .to_second = 4});
  run_until_it_waits(*peer);
  CHECK(peer->iteration() == 5);
  // The verdict on 1 is lost; the one on 5 comes.
  peer->verdict(5, true, {.to_next = 3, .to_second = 4});
  run_until_it_waits(*peer);
  CHECK(peer->iteration() == 12);
  peer->verdict(8, false, {.to_next = 4, .to_second = 1});  // stops at the evaluation that it waits at
  CHECK(peer->state() == PeerState::finished);
  CHECK(peer->iteration() == 12);
}

TEST_CASE("peer: a verdict that overtakes the start is remembered, and starts nothing") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "ring", 2, 6);
  PacketPool pool;
  const auto peer = make_peer(experiment, 0, pool);
  peer->verdict(0, true);
  CHECK(peer->state() == PeerState::idle);
  peer->start();
  CHECK(peer->state() == PeerState::needs_gradient);
  CHECK(peer->outbox().size() == 1);
}

TEST_CASE("peer: where a model is known before the messages, the next gradient is computed meanwhile, once") {
  for (const char* method : {"dcd-psgd", "ecd-psgd"}) {
    CAPTURE(method);
    auto experiment = quadratic_experiment<double>(method, "ring", 2, 6);
    experiment.iterations = 4;  // fewer than to the first verdict
    PacketPool pool;
    const std::array peers = {make_peer(experiment, 0, pool), make_peer(experiment, 1, pool)};
    for (const auto& peer : peers) peer->start();
    for (std::uint64_t t = 1; t <= 4; ++t) {
      CAPTURE(t);
      for (const auto& peer : peers) {
        for (int gradients = (t == 1 ? 1 : 0) + (t == 4 ? 0 : 1); gradients > 0; --gradients) {
          REQUIRE(peer->state() == PeerState::needs_gradient);
          peer->compute_gradient();
          peer->gradient_arrived();
        }
        REQUIRE(peer->state() == PeerState::needs_messages);
        CHECK(peer->iteration() == t - 1);
        CHECK(peer->counters().gradient_evaluations == t);  // one computed ahead counts when it is used
      }
      const std::array messages = {message_for(*peers[0], 1), message_for(*peers[1], 0)};
      for (const auto& peer : peers) peer->outbox().clear();
      for (const std::size_t to : {0u, 1u})
        peers[to]->deliver(messages[1 - to].key, messages[1 - to].packet, messages[1 - to].metadata);
    }
    for (const auto& peer : peers) {
      REQUIRE(peer->state() == PeerState::evaluation_due);
      peer->evaluation_taken();
      CHECK(peer->state() == PeerState::finished);
    }
  }
}

TEST_CASE("peer: a message that does not fit the method ends the run with a reason, not with a crash") {
  const auto experiment = quadratic_experiment<double>("dcd-psgd", "ring", 2, 6);
  PacketPool pool;
  const auto peer = make_peer(experiment, 0, pool);
  peer->start();
  run_until_it_waits(*peer);
  PacketBuffer garbage = pool.acquire();
  garbage.resize(3)[0] = std::byte{1};
  peer->deliver({1, 0, 1}, std::move(garbage).seal());
  CHECK(peer->state() == PeerState::diverged);
  REQUIRE(peer->divergence());
  CHECK(peer->divergence()->iteration == 1);
}

TEST_CASE("peer: one that is stopped after an iteration that is to be evaluated still owes the evaluation") {
  auto experiment = quadratic_experiment<double>("d-psgd", "ring", 4, 6);
  experiment.settings.run.evaluate_every = 1;
  for (const std::uint64_t checkpoint_every : {0u, 1u}) {
    CAPTURE(checkpoint_every);
    PacketPool pool;
    std::vector<std::unique_ptr<Peer<double>>> peers;
    for (PeerId id = 0; id < 4; ++id) {
      peers.push_back(make_peer(experiment, id, pool, {.every = checkpoint_every}));
      peers.back()->start();
      run_until_it_waits(*peers.back());
      CHECK_FALSE(peers.back()->owes_evaluation());
    }
    Peer<double>& peer = *peers[0];
    for (const PeerId neighbor : {1u, 3u}) {
      const Outgoing message = message_for(*peers[neighbor], 0);
      peer.deliver(message.key, message.packet);
    }
    CHECK(peer.iteration() == 1);
    CHECK(peer.owes_evaluation());
    if (checkpoint_every != 0) peer.checkpoint_taken();
    CHECK(peer.owes_evaluation());
    peer.evaluation_taken();
    CHECK_FALSE(peer.owes_evaluation());
  }
}

}  // namespace hearsay::peer_test
