#include <doctest/doctest.h>

#include <zmq.hpp>

#include "runtime/experiment/run_agreement.hpp"
#include "runtime/zmq/frames.hpp"
#include "runtime/zmq/handshake_watch.hpp"
#include "runtime/zmq/listening.hpp"
#include "runtime/zmq/outlet.hpp"
#include "runtime/zmq/zap_server.hpp"
#include "tests/support/cluster_processes.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::security_test {

namespace {

constexpr std::size_t limit_bytes = 1 << 16;

LoopbackCluster ring_of(PeerId peers) {
  return LoopbackCluster(quadratic_experiment<float>("dcd-psgd", "ring", peers, 50));
}

/// Returns credentials of peer `self` with the pair `own`; the public keys are those of `keys`.
SharedCredentials credentials_with(const KeyFolder& keys, PeerId peers, PeerId self, const KeyPair& own) {
  auto credentials = std::make_shared<Credentials>();
  credentials->self = self;
  credentials->own = own;
  for (PeerId id = 0; id < peers; ++id) credentials->public_keys.push_back(keys.pair(id).public_key);
  return credentials;
}

FrameHeader hello_header(const Agreement& agreement, PeerId sender) {
  FrameHeader head;
  head.kind = FrameKind::hello;
  head.run_id = run_id(agreement);
  head.sender = sender;
  head.incarnation = 7;
  return head;
}

/// Waits until the server at `address` says that it will never let this caller in, and returns the sentence.
std::string refusal_of(const std::string& address, const SharedCredentials& credentials) {
  zmq::context_t context;
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  HandshakeWatch watch(credentials != nullptr, "auto");
  set_up_dealer(dealer, 1, limit_bytes, address, credentials, 0);
  watch.connect(context, dealer, "peer 0", address);
  dealer.set(zmq::sockopt::linger, 0);
  for (Instant now{};;
       now += std::chrono::seconds(2)) {  // a clock of its own: the next look says what was held back
    if (const auto said = watch.look(now).refusal) return *said;
    zmq::pollitem_t nothing{dealer.handle(), 0, ZMQ_POLLIN, 0};
    REQUIRE(zmq::poll(&nothing, 1, std::chrono::milliseconds(5)) == 0);
  }
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("security: peers with keys end with the bits of those without") {
    LoopbackCluster cluster = ring_of(3);
    const KeyFolder keys(3);
    const Process third = cluster.start(2, keys.of(2));
    const Process first = cluster.start(0, keys.of(0));
    const Process second = cluster.start(1, keys.of(1));
    const RunEnd end(first.join());
    CHECK_MESSAGE(end.exit_code == 0, end.text);
    CHECK(second.join().exit_code == 0);
    CHECK(third.join().exit_code == 0);
    CHECK(end.digests == cluster.undisturbed());
    CHECK(end.refused == 0);
    CHECK(end.garbage == 0);
  }

  TEST_CASE(
      "security: an unknown key and plain text get in nowhere, learn so, are counted, and disturb nobody") {
    LoopbackCluster cluster = ring_of(2);
    const KeyFolder keys(2);
    const Process first = cluster.start(0, keys.of(0));
    for (const std::string& address : {cluster.address(0), cluster.experiment.topology.observer}) {
      CHECK(contains(refusal_of(address, credentials_with(keys, 2, 1, new_key_pair())),
                     "peer 0 refuses this peer's key"));
      CHECK(contains(refusal_of(address, nullptr),
                     "lets nobody in without a key, and this peer has none; set security.authorized"));
    }
    const Process second = cluster.start(1, keys.of(1));
    const RunEnd end(first.join());
    CHECK_MESSAGE(end.exit_code == 0, end.text);
    CHECK(second.join().exit_code == 0);
    CHECK(end.digests == cluster.undisturbed());
    CHECK(end.refused >= 4);
  }

  TEST_CASE("security: whoever proves to own one peer's key cannot speak as another") {
    LoopbackCluster cluster = ring_of(3);
    const KeyFolder keys(3);
    const Process first = cluster.start(0, keys.of(0));
    {
      // The owner of peer 2's key says hello in the name of peer 1, and then that the run ends. The context
      // waits until both frames have left.
      const Agreement agreement = agreement_of(cluster.experiment);
      zmq::context_t context;
      zmq::socket_t dealer(context, zmq::socket_type::dealer);
      set_up_dealer(dealer, 1, limit_bytes, cluster.address(0), credentials_with(keys, 3, 2, keys.pair(2)),
                    0);
      dealer.connect(cluster.address(0));
      dealer.set(zmq::sockopt::linger, -1);
      FrameHeader head = hello_header(agreement, 1);
      REQUIRE(send_frame(dealer, {}, head, encode_agreement(agreement)));
      head.kind = FrameKind::stop;
      REQUIRE(send_frame(dealer, {}, head, {}));
    }
    const Process second = cluster.start(1, keys.of(1));
    const Process third = cluster.start(2, keys.of(2));
    const RunEnd end(first.join());
    CHECK_MESSAGE(end.exit_code == 0, end.text);
    CHECK(second.join().exit_code == 0);
    CHECK(third.join().exit_code == 0);
    CHECK(end.digests == cluster.undisturbed());
    CHECK(end.garbage == 2);
  }

  TEST_CASE("security: a peer with keys and one without refuse each other, each with a sentence") {
    LoopbackCluster cluster = ring_of(2);
    cluster.patience.start = std::chrono::seconds(8);
    const KeyFolder keys(2);
    const Process first = cluster.start(0, keys.of(0));
    const Process second = cluster.start(1);
    const Ended without = second.join();
    const Ended with = first.join();
    CHECK(with.exit_code != 0);
    CHECK(without.exit_code != 0);
    // The side that closes first keeps the other from hearing why. The other says what it has seen.
    const bool one_knows = with.exit_code == 2 || without.exit_code == 2;
    CHECK(one_knows);
    const bool with_says = contains(with.text, "speaks plain text") || contains(with.text, "has it no key") ||
                           contains(with.text, "without a key");
    const bool without_says = contains(without.text, "without a key") || contains(without.text, "plain text");
    CHECK_MESSAGE(with_says, with.text);
    CHECK_MESSAGE(without_says, without.text);
  }

  TEST_CASE("security: a peer that hears plain text where it expects a key says so") {
    LoopbackCluster cluster = ring_of(2);
    const KeyFolder keys(2);
    const Process peer = cluster.start(0, keys.of(0));
    zmq::context_t context;
    zmq::socket_t plain(context, zmq::socket_type::router);
    plain.bind(cluster.address(1));
    const Ended ended = peer.join();
    CHECK(ended.exit_code == 2);
    CHECK_MESSAGE(contains(ended.text, "peer 1 (" + cluster.address(1) +
                                           ") speaks plain text, and this peer only with keys"),
                  ended.text);
  }

  TEST_CASE(
      "security: a peer whose neighbor proves to own another key than it should says what may be wrong") {
    LoopbackCluster cluster = ring_of(2);
    cluster.patience.start = std::chrono::seconds(2);
    const KeyFolder keys(2);
    const Process peer = cluster.start(1, keys.of(1));
    zmq::context_t context;
    zmq::socket_t impostor(context, zmq::socket_type::router);
    ZapServer door(context, impostor, credentials_with(keys, 2, 0, new_key_pair()));
    listen(context, impostor, {limit_bytes, 64, 0, "auto"}, "address", cluster.address(0));
    door.begin();
    const Ended ended = peer.join();
    CHECK(ended.exit_code == 3);
    CHECK_MESSAGE(contains(ended.text, "did not come up within 2 s; peer 0 (" + cluster.address(0) +
                                           ") breaks connections off: has it no key, or another one than"),
                  ended.text);
    CHECK(door.refused() > 0);
  }

  TEST_CASE("security: keys that do not fit the topology are refused before anybody connects") {
    LoopbackCluster cluster = ring_of(2);
    const KeyFolder keys(2);
    const Ended swapped = cluster.start(0, keys.of(1)).join();
    CHECK(swapped.exit_code == 2);
    CHECK(contains(swapped.text, "1.key: expected the key of peer 0, this is the one of peer 1"));
    const KeyFolder too_few(1);
    const Ended missing = cluster.start(0, too_few.of(0)).join();
    CHECK(missing.exit_code == 2);
    CHECK(contains(missing.text, "has no key of peer 1; hearsay keys authorize"));
  }

  TEST_CASE("security: an address of another machine is refused with the way out") {
    LoopbackCluster cluster = ring_of(2);
    cluster.experiment.topology.peers[0].address = "tcp://203.0.113.7:7000";  // for documentation, nobody's
    const Ended elsewhere = cluster.start(0).join();
    CHECK(elsewhere.exit_code == 2);
    CHECK_MESSAGE(contains(elsewhere.text, "bind = \"tcp://0.0.0.0:PORT\""), elsewhere.text);
  }

  TEST_CASE("security: two DEALERs of one peer do not take the connection from each other") {
    zmq::context_t context;
    zmq::socket_t router(context, zmq::socket_type::router);
    const std::string address =
        listen(context, router, {limit_bytes, 64, 0, "auto"}, "address", "tcp://127.0.0.1:*");
    zmq::socket_t one(context, zmq::socket_type::dealer);
    zmq::socket_t other(context, zmq::socket_type::dealer);
    std::vector<std::string> names;
    for (zmq::socket_t* dealer : {&one, &other}) {
      set_up_dealer(*dealer, 5, limit_bytes, address, nullptr, 0);
      dealer->connect(address);
      FrameHeader head;
      head.kind = FrameKind::alive;
      head.sender = 5;
      REQUIRE(send_frame(*dealer, {}, head, {}));
      zmq::pollitem_t item{router.handle(), 0, ZMQ_POLLIN, 0};
      REQUIRE(zmq::poll(&item, 1, std::chrono::seconds(20)) == 1);
      ReceivedFrame frame;
      REQUIRE(receive_at_router(router, limit_bytes, frame) == Reception::frame);
      names.push_back(frame.from);
    }
    CHECK(names[0] != names[1]);
    for (const auto& [name, dealer] : {std::pair{names[0], &one}, std::pair{names[1], &other}}) {
      REQUIRE(send_frame(router, name, {}, {}));
      zmq::pollitem_t item{dealer->handle(), 0, ZMQ_POLLIN, 0};
      CHECK(zmq::poll(&item, 1, std::chrono::seconds(20)) == 1);
    }
  }
}

}  // namespace hearsay::test::security_test
