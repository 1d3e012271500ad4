#include "runtime/peer/replica_copy.hpp"
#include "runtime/peer/peer.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "algorithms/methods/registry.hpp"
#include "runtime/peer/replica_watch.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::replica_copy_test {

namespace {

/// Two peers in their first iteration, after their gradients. The test hands messages of peer 1 to peer 0.
struct Scene {
  explicit Scene(const std::string& method) : experiment(quadratic_experiment<double>(method, "ring", 2, 6)) {
    for (const PeerId id : {0, 1}) {
      peers.push_back(make_peer(experiment, id, packets));
      peers.back()->start();
      work(*peers.back());
    }
    peers[0]->outbox().clear();
  }

  static void work(Peer<double>& peer) {
    while (peer.state() == PeerState::needs_gradient) {
      peer.compute_gradient();
      peer.gradient_arrived();
    }
  }
  void hear(const MessageKey& key, const PacketRef& packet, std::uint32_t replica_digest = 0) {
    peers[0]->deliver(key, packet, {0, replica_digest});
    work(*peers[0]);
  }
  PacketRef packet_of(const std::vector<double>& values) {
    PacketBuffer buffer = packets.acquire();
    std::ranges::copy(std::as_bytes(std::span(values)),
                      buffer.resize(values.size() * sizeof(double)).begin());
    return std::move(buffer).seal();
  }
  PacketRef said_by_one(Slot slot) const {
    for (const Outgoing& sent : peers[1]->outbox())
      if (sent.key.slot == slot) return sent.packet;
    return {};
  }
  Peer<double>& zero() { return *peers[0]; }
  std::uint64_t replica_digest() { return zero().digests().replicas.at(0).second; }

  Experiment<double> experiment;
  PacketPool packets;
  std::vector<std::unique_ptr<Peer<double>>> peers;
};

}  // namespace

TEST_CASE("replica copy: what every method publishes becomes a replica of it, whole or not at all") {
  int published = 0;
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    if (method.asynchronous) continue;
    Scene scene(method.name);
    Algorithm<double>& owner = scene.peers[1]->algorithm();
    const std::size_t bytes = published_bytes(owner);
    if (bytes == 0) continue;
    ++published;
    PacketBuffer buffer = scene.packets.acquire();
    copy_published(owner, buffer);
    const PacketRef copy = std::move(buffer).seal();
    REQUIRE(copy->size() == bytes);
    Algorithm<double>& holder = scene.zero().algorithm();
    const std::uint64_t before = scene.replica_digest();
    CHECK(!overwrite_replica(holder, 1, copy->bytes().first(bytes - 1)));
    CHECK(!overwrite_replica(holder, 1, {}));
    CHECK(!overwrite_replica(holder, 0, copy->bytes()));
    CHECK(scene.replica_digest() == before);
    CHECK(overwrite_replica(holder, 1, copy->bytes()));
    CHECK(scene.replica_digest() == *digest_published(owner));
  }
  CHECK(published >= 5);
}

TEST_CASE("replica copy: one that is malformed is counted and changes nothing") {
  Scene scene("dcd-psgd");
  const std::uint64_t before = scene.replica_digest();
  scene.hear({1, copy_slot, 1}, scene.packet_of({1, 2, 3}));
  CHECK(scene.zero().counters().unfit_copies == 1);
  scene.hear({1, copy_slot, 1}, scene.packet_of({1, 2, 3, 4, 5, std::numeric_limits<double>::infinity()}));
  CHECK(scene.zero().counters().unfit_copies == 2);
  scene.hear({1, copy_slot, 7}, scene.packet_of({1, 2, 3, 4, 5, 6}));  // peer 0 keeps no replica of peer 7
  CHECK(scene.zero().counters().unfit_copies == 3);
  CHECK(scene.zero().counters().resyncs == 0);
  CHECK(scene.replica_digest() == before);
  scene.hear({1, copy_slot, 1}, scene.packet_of({1, 2, 3, 4, 5, 6}));
  CHECK(scene.zero().counters().resyncs == 1);
  const std::uint64_t after = scene.replica_digest();
  CHECK(after != before);
  scene.hear({1, copy_slot, 1}, scene.packet_of({6, 5, 4, 3, 2, 1}));  // a second copy in the same iteration
  CHECK(scene.zero().counters().duplicate == 1);
  CHECK(scene.zero().counters().resyncs == 1);
  CHECK(scene.replica_digest() == after);
}

TEST_CASE("replica copy: one that is early waits for its iteration, one that is late or doubled is dropped") {
  Scene scene("beer");
  const PacketRef copy = scene.packet_of(std::vector<double>(12, 1.0));
  scene.hear({2, copy_slot, 1}, copy);
  scene.hear({2, copy_slot, 1}, copy);
  CHECK(scene.zero().counters().duplicate == 1);
  CHECK(scene.zero().counters().resyncs == 0);
  scene.hear({1, 0, 1}, scene.said_by_one(0));  // the first of two exchanges
  const std::uint64_t between = scene.replica_digest();
  scene.hear({1, copy_slot, 1}, copy);
  CHECK(scene.zero().counters().late == 1);
  CHECK(scene.replica_digest() == between);
  scene.hear({1, 1, 1}, scene.said_by_one(1));
  CHECK(scene.zero().iteration() == 1);
  CHECK(scene.zero().counters().resyncs == 1);
  scene.hear({1, copy_slot, 1}, copy);
  CHECK(scene.zero().counters().late == 2);
}

TEST_CASE("replica copy: a question is answered before anything else is said in the next iteration") {
  Scene scene("dcd-psgd");
  scene.hear({1, question_slot, 1}, scene.packet_of({}));
  scene.hear({1, question_slot, 1}, scene.packet_of({}));
  CHECK(scene.zero().counters().duplicate == 1);
  CHECK(scene.zero().outbox().empty());
  const std::uint64_t published = *scene.zero().digests().published;  // with what it has said in iteration 1
  scene.hear({1, 0, 1}, scene.said_by_one(0));
  REQUIRE(scene.zero().outbox().size() == 2);
  const Outgoing& answer = scene.zero().outbox()[0];
  CHECK(answer.to == 1);
  CHECK(answer.key == MessageKey{2, copy_slot, 0});
  CHECK(overwrite_replica(scene.peers[1]->algorithm(), 0, answer.packet->bytes()));
  CHECK(scene.peers[1]->digests().replicas.at(0).second == published);
  CHECK(scene.zero().outbox()[1].key == MessageKey{2, 0, 0});
}

TEST_CASE("replica watch: two digests of one iteration are compared once, whichever is known first") {
  using Finding = ReplicaWatch::Finding;
  ReplicaWatch watch({3, 5});
  CHECK(watch.holds(3, 17, 1) == Finding::nothing);
  CHECK(watch.said(3, 17, 1) == Finding::equal);
  CHECK(watch.said(3, 17, 2) == Finding::nothing);  // the second message of an iteration
  CHECK(watch.said(3, 33, 2) == Finding::nothing);
  CHECK(watch.said(3, 17, 2) == Finding::nothing);  // late
  CHECK(watch.holds(3, 33, 4) == Finding::different);
  CHECK(watch.said(5, 33, 2) == Finding::nothing);
  CHECK(watch.holds(5, 49, 2) == Finding::nothing);
  CHECK(watch.holds(4, 49, 2) == Finding::nothing);  // peer 4 is no owner
  CHECK(watch.said(4, 49, 3) == Finding::nothing);
  CHECK(watch.take_differing() == std::vector<PeerId>{3});
  CHECK(watch.take_differing().empty());
}

TEST_CASE("replica watch: what was overwritten in the meantime is not held against its owner") {
  ReplicaWatch watch({3});
  watch.holds(3, 17, 1);
  watch.overwritten(3, 17);
  CHECK(watch.was_overwritten(3, 17));
  CHECK(!watch.was_overwritten(3, 18));
  CHECK(watch.said(3, 17, 2) == ReplicaWatch::Finding::nothing);
  CHECK(watch.take_differing().empty());
}

}  // namespace hearsay::replica_copy_test
