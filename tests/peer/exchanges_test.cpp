#include "runtime/peer/exchanges.hpp"

#include <doctest/doctest.h>

#include "runtime/peer/peer.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::exchanges_test {

using Outcome = Exchanges::Outcome;

namespace {

PacketPool pool;

PacketRef packet() { return pool.acquire().seal(); }

MessageKey request(std::uint64_t iteration, PeerId sender) { return {iteration, request_slot, sender}; }
MessageKey reply(std::uint64_t iteration, PeerId sender) { return {iteration, reply_slot, sender}; }

PacketRef full_packet(const Vector<double>& vector) {
  PacketBuffer buffer = pool.acquire();
  const auto bytes = std::as_bytes(view(vector));
  std::copy(bytes.begin(), bytes.end(), buffer.resize(bytes.size()).begin());
  return std::move(buffer).seal();
}

/// Refuses the request that stands in the outbox of `peer`, one of two, on behalf of the other one.
void refuse(Peer<double>& peer) {
  REQUIRE(peer.outbox().size() == 1);
  const MessageKey asked = peer.outbox()[0].key;
  CHECK(asked == request(peer.iteration() + 1, peer.id()));
  peer.outbox().clear();
  peer.deliver(reply(asked.iteration, 1 - peer.id()), packet());
}

/// Runs `peer`, one of two, to its end. All its requests are refused.
void run_to_its_end(Peer<double>& peer) {
  while (peer.state() != PeerState::finished) {
    if (!peer.outbox().empty()) {
      refuse(peer);
    } else if (peer.state() == PeerState::evaluation_due) {
      peer.verdict(peer.iteration(), true);
      peer.evaluation_taken();
    } else {
      peer.compute_gradient();
      peer.gradient_arrived();
    }
  }
}

}  // namespace

TEST_CASE("exchanges: only the reply to the request that is out is taken in, and once") {
  Exchanges exchanges;
  CHECK(exchanges.hear(reply(1, 5), packet()) == Outcome::late);
  exchanges.ask(3, 5);
  CHECK(exchanges.asking());
  CHECK(exchanges.hear(reply(2, 5), packet()) == Outcome::late);
  CHECK(exchanges.hear(reply(3, 4), packet()) == Outcome::late);
  CHECK(exchanges.hear({3, 2, 5}, packet()) == Outcome::late);
  CHECK(exchanges.asking());
  CHECK(exchanges.hear(reply(3, 5), packet()) == Outcome::reply);
  CHECK_FALSE(exchanges.asking());
  CHECK(exchanges.hear(reply(3, 5), packet()) == Outcome::duplicate);
}

TEST_CASE("exchanges: while a request is out those of others wait, and are answered in the order they came") {
  Exchanges exchanges({4, 9});
  exchanges.ask(1, 0);
  CHECK(exchanges.hear(request(7, 9), packet()) == Outcome::request);
  CHECK(exchanges.hear(request(2, 4), packet()) == Outcome::request);
  CHECK_FALSE(exchanges.next());
  exchanges.hear(reply(1, 0), packet());
  CHECK(exchanges.next()->key == request(7, 9));
  CHECK(exchanges.next()->key == request(2, 4));
  CHECK_FALSE(exchanges.next());
}

TEST_CASE("exchanges: while a request is out those of impatient neighbors are refused, and only then") {
  Exchanges exchanges({4, 9});
  CHECK(exchanges.hear(request(1, 2), packet()) == Outcome::request);
  CHECK(exchanges.next());
  exchanges.ask(1, 2);
  CHECK(exchanges.hear(request(2, 2), packet()) == Outcome::busy);
  CHECK(exchanges.hear(request(2, 2), packet()) == Outcome::duplicate);
  CHECK_FALSE(exchanges.next());
  exchanges.hear(reply(1, 2), packet());
  CHECK_FALSE(exchanges.next());
  CHECK(exchanges.hear(request(3, 2), packet()) == Outcome::request);
}

TEST_CASE("exchanges: a request is answered once, and of an asker only one can wait") {
  Exchanges exchanges;
  CHECK(exchanges.hear(request(2, 4), packet()) == Outcome::request);
  CHECK(exchanges.hear(request(2, 4), packet()) == Outcome::duplicate);
  CHECK(exchanges.hear(request(3, 4), packet()) == Outcome::overflow);
  CHECK(exchanges.next());
  CHECK(exchanges.hear(request(2, 4), packet()) == Outcome::duplicate);
  CHECK(exchanges.hear(request(1, 4), packet()) == Outcome::late);
  CHECK(exchanges.hear(request(3, 4), packet()) == Outcome::request);
}

TEST_CASE("peer: a request is answered during a gradient, while a verdict is awaited, and after the end") {
  auto experiment = quadratic_experiment<double>("ad-psgd", "ring", 2, 6);
  experiment.iterations = 2;
  experiment.settings.run.evaluate_every = 1;
  const auto peer = make_peer(experiment, 0, pool);
  const PacketRef one = full_packet(Vector<double>::Ones(6));
  peer->start();
  REQUIRE(peer->state() == PeerState::needs_gradient);
  refuse(*peer);
  const Vector<double> before = peer->model();
  peer->compute_gradient();
  peer->deliver(request(1, 1), one);
  CHECK(peer->state() == PeerState::needs_gradient);
  CHECK(peer->model() == 0.5 * (before + Vector<double>::Ones(6)));
  REQUIRE(peer->outbox().size() == 1);
  CHECK(peer->outbox()[0].key == reply(1, 0));
  CHECK(peer->outbox()[0].packet->size() == 6 * sizeof(double));
  peer->outbox().clear();

  peer->gradient_arrived();
  peer->evaluation_taken();
  REQUIRE(peer->state() == PeerState::needs_verdict);
  const Vector<double> evaluated = peer->model();
  peer->deliver(request(1, 1), one);  // the same request again: nothing happens
  CHECK(peer->outbox().empty());
  CHECK(peer->counters().duplicate == 1);
  CHECK(peer->model() == evaluated);
  peer->deliver(request(2, 1), one);
  CHECK(peer->model() != evaluated);
  CHECK(peer->counters().exchanges_answered == 2);
  peer->outbox().clear();

  peer->verdict(0, true);
  run_to_its_end(*peer);
  const Vector<double> last = peer->model();
  peer->deliver(request(3, 1), one);
  CHECK(peer->model() == last);
  REQUIRE(peer->outbox().size() == 1);
  CHECK(peer->outbox()[0].packet->size() == 0);
  CHECK(peer->counters().exchanges_answered == 2);
}

TEST_CASE(
    "peer: an asker goes on without one that has ended, and takes a reply before its gradient is there") {
  const auto experiment = quadratic_experiment<double>("ad-psgd", "ring", 2, 6);
  const auto peer = make_peer(experiment, 1, pool);
  peer->start();
  REQUIRE(peer->outbox().size() == 1);
  CHECK(peer->outbox()[0].key == request(1, 1));
  peer->compute_gradient();
  const Vector<double> before = peer->model();
  peer->deliver(request(1, 0), full_packet(Vector<double>::Ones(6)));
  REQUIRE(peer->outbox().size() == 2);
  CHECK(peer->outbox()[1].packet->size() == 0);  // refused: its own request is out
  peer->deliver(reply(1, 0), packet());          // an empty packet: peer 0 has ended
  CHECK(peer->model() == before);
  CHECK(peer->counters().exchanges_asked == 0);
  peer->gradient_arrived();
  CHECK(peer->iteration() == 1);

  peer->compute_gradient();
  peer->gradient_arrived();
  CHECK(peer->state() == PeerState::needs_messages);
  CHECK(peer->waiting_for() == std::vector<PeerId>{0});
  peer->deliver(reply(2, 0), full_packet(Vector<double>::Ones(6)));
  CHECK(peer->iteration() == 2);
  CHECK(peer->counters().exchanges_asked == 1);
}

TEST_CASE("peer: a request that does not fit ends the run with a reason, and is answered all the same") {
  const auto experiment = quadratic_experiment<double>("ad-psgd", "ring", 2, 6);
  const auto peer = make_peer(experiment, 0, pool);
  peer->start();
  refuse(*peer);
  peer->compute_gradient();
  peer->deliver(request(1, 1), packet());
  REQUIRE(peer->outbox().size() == 1);
  CHECK(peer->outbox()[0].packet->size() == 0);
  peer->gradient_arrived();
  CHECK(peer->state() == PeerState::diverged);
  CHECK(peer->divergence()->malformed);
}

}  // namespace hearsay::exchanges_test
