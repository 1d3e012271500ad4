#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <variant>

#include "runtime/peer/joining.hpp"
#include "runtime/session/peer_session.hpp"
#include "tests/support/four_peers.hpp"

namespace hearsay::test::joining_session_test {

using namespace std::chrono_literals;

// What a joining peer and the neighbors that it asks for a model say to each other.

namespace {

/// The session of peer 3, with neighbors 1 and 2. The test plays the neighbors and the observer. A model has
/// 4 bytes.
struct Scene {
  explicit Scene(std::vector<PeerId> absent = {}) : session(input(std::move(absent))) {}

  static PeerSessionInput input(std::vector<PeerId> absent) {
    PeerSessionInput input{.self = 3,
                           .incarnation = 70,
                           .agreement = {{{"run.seed", "1"}}},
                           .iterations = 100,
                           .sources = {1, 2},
                           .destinations = {1, 2},
                           .addresses = {"tcp://one", "tcp://two"},
                           .same_machine = true,
                           .asynchronous = false,
                           .start_patience = 1min,
                           .heartbeat = 2s};
    input.model_bytes = 4;
    input.absent = std::move(absent);
    return input;
  }
  FrameHeader header(PeerId sender, FrameKind kind, std::uint64_t iteration = 0,
                     std::uint64_t sequence = 0) const {
    FrameHeader head;
    head.kind = kind;
    head.run_id = run_id(Agreement{{{"run.seed", "1"}}});
    head.sender = sender;
    head.incarnation = sender == 0 ? 0 : 80 + sender;  // the observer names no process
    head.iteration = iteration;
    head.sequence = sequence;
    return head;
  }
  FrameUse reply(PeerId from, FrameKind kind, std::uint64_t iteration = 0, std::uint64_t sequence = 0,
                 std::size_t bytes = 0) {
    return session.hear_destination(from, header(from, kind, iteration, sequence),
                                    std::vector<std::byte>(bytes));
  }
  void hello(PeerId from, Slot slot = 0, std::uint32_t incarnation = 0) {
    FrameHeader head = header(from, FrameKind::hello, 1);
    head.slot = slot;
    if (incarnation != 0) head.incarnation = incarnation;
    session.hear_source(head, encode_agreement({{{"run.seed", "1"}}}), Instant{});
  }
  void observer(FrameKind kind, std::uint64_t iteration = 0) {
    session.hear_observer(header(0, kind, iteration), {}, Instant{});
  }
  /// Brings peer 3 into the run: all handshakes are done and the observer has said `start`.
  void train() {
    session.begin(Instant{});
    for (const PeerId id : {1u, 2u}) {
      hello(id);
      reply(id, FrameKind::welcome, 1);
    }
    observer(FrameKind::start, 100);
    session.outbox().clear();
    session.events().clear();
  }

  /// True if the session has told its driver, since the last call, that a neighbor is gone.
  bool has_departed() {
    const bool departed = std::ranges::any_of(session.events(), [](const SocketEvent& event) {
      return std::holds_alternative<PeerDeparted>(event);
    });
    session.events().clear();
    return departed;
  }

  struct Word {
    PeerId to;
    FrameKind kind;
    bool operator==(const Word&) const = default;
  };
  std::vector<Word> said() {
    std::vector<Word> words;
    for (const PeerFrame& word : session.outbox())
      if (word.way != PeerFrame::Way::observer) words.push_back({word.to, word.header.kind});
    session.outbox().clear();
    return words;
  }
  std::vector<FrameKind> told_observer() {
    std::vector<FrameKind> kinds;
    for (const PeerFrame& word : session.outbox())
      if (word.way == PeerFrame::Way::observer) kinds.push_back(word.header.kind);
    session.outbox().clear();
    return kinds;
  }
  template <class Event>
  std::vector<Event> events() {
    std::vector<Event> found;
    for (SocketEvent& event : session.events())
      if (auto* const one = std::get_if<Event>(&event)) found.push_back(std::move(*one));
    session.events().clear();
    return found;
  }

  PeerSession session;
};

using Words = std::vector<Scene::Word>;
using Kinds = std::vector<FrameKind>;
RunSettings joined_later(std::vector<PeerId> ids) {
  RunSettings settings = four_peers("d-psgd");
  settings.failure.policy = RunSettings::Failure::Policy::drop;
  settings.failure.join_later = std::move(ids);
  return settings;
}

}  // namespace

TEST_CASE("joining: a peer that a neighbor has parted from asks it for its model, and tells the observer") {
  Scene scene;
  scene.session.begin(Instant{});
  scene.said();
  scene.reply(1, FrameKind::parted);
  CHECK(scene.said() == Words{{1, FrameKind::join}});
  CHECK(scene.events<PeerDeparted>().empty());
  CHECK(scene.reply(1, FrameKind::model, 20, 11, 4) == FrameUse::words);
  CHECK(scene.told_observer() == Kinds{FrameKind::join});
  const auto arrived = scene.events<ModelArrived>();
  REQUIRE(arrived.size() == 1);
  CHECK(arrived[0].from == 1);
  CHECK(arrived[0].entry.iteration == 20);
  CHECK(arrived[0].entry.last_verdict == std::optional<std::uint64_t>(10));
  // Once the observer has said `start`, peer 3 greets its neighbors, with hellos that say that the edges are
  // out.
  scene.observer(FrameKind::start, 100);
  CHECK(scene.events<RunStarts>().size() == 1);
  REQUIRE(scene.session.outbox().size() == 2);
  for (const PeerFrame& word : scene.session.outbox()) {
    CHECK(word.header.kind == FrameKind::hello);
    CHECK(word.header.slot == 1);
    CHECK(word.header.iteration == 21);
  }
}

TEST_CASE(
    "joining: a model of another size, of no iteration of the run, or that nobody asked for is garbage") {
  Scene scene;
  scene.session.begin(Instant{});
  CHECK(scene.reply(1, FrameKind::model, 20, 11, 4) == FrameUse::garbage);
  scene.reply(1, FrameKind::parted);
  CHECK(scene.reply(1, FrameKind::model, 20, 11, 5) == FrameUse::garbage);
  CHECK(scene.reply(1, FrameKind::model, 20, 11, 0) == FrameUse::garbage);
  CHECK(scene.reply(1, FrameKind::model, 100, 11, 4) == FrameUse::garbage);
  CHECK(scene.reply(1, FrameKind::model, 20, 22, 4) == FrameUse::garbage);
  CHECK(scene.events<ModelArrived>().empty());
}

TEST_CASE(
    "joining: where no model comes another neighbor is asked, and the first model that comes is taken") {
  Scene scene;
  scene.session.begin(Instant{});
  scene.reply(1, FrameKind::parted);
  scene.reply(2, FrameKind::parted);
  scene.said();
  scene.session.tick(Instant{} + 2s);
  CHECK(scene.said() == Words{{1, FrameKind::join}});
  scene.session.tick(Instant{} + 10s);
  CHECK(scene.said() == Words{{2, FrameKind::join}});
  scene.session.tick(Instant{} + 20s);
  CHECK(scene.said() == Words{{1, FrameKind::join}});
  scene.reply(2, FrameKind::model, 7, 0, 4);
  scene.reply(1, FrameKind::model, 9, 0, 4);
  CHECK(scene.events<ModelArrived>().size() == 1);
}

TEST_CASE("joining: without a model it does not begin, nor lets it a neighbor offer an edge") {
  Scene scene;
  scene.session.begin(Instant{});
  scene.hello(1, 1);  // neighbor 1 says that their edge is out
  CHECK(scene.said().back() == Scene::Word{1, FrameKind::join});
  scene.hello(1, 1);
  CHECK(scene.said().empty());
  scene.observer(FrameKind::start, 100);
  CHECK(scene.events<RunStarts>().empty());
  scene.session.tick(Instant{} + 61s);
  const auto refusals = scene.events<TakesNoPart>();
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].reason ==
        "the run has gone on without this peer, and no neighbor told its model within 60 s");
}

TEST_CASE("joining: another process under the name of a neighbor tells that the neighbor is gone") {
  Scene scene;
  scene.train();
  scene.hello(1);
  CHECK(scene.events<PeerDeparted>().empty());  // the same process greets again
  scene.hello(1, 0, 90);
  CHECK(scene.events<PeerDeparted>().size() == 1);
  CHECK(scene.said() == Words{{1, FrameKind::welcome}});
  scene.session.send_edge_request({EdgeRequest::What::part, 1});
  scene.said();
  scene.hello(1, 0, 90);
  CHECK(scene.said() == Words{{1, FrameKind::parted}});
  FrameHeader join = scene.header(1, FrameKind::join);
  join.incarnation = 90;
  scene.session.hear_source(join, {}, Instant{});
  CHECK(scene.events<ModelAsked>().size() == 1);
}

TEST_CASE(
    "joining: a new process whose predecessor never greeted this one is told from it by what it needs") {
  Scene scene;
  scene.session.begin(Instant{});
  scene.reply(1, FrameKind::welcome, 1);
  scene.observer(FrameKind::start, 100);
  scene.reply(1, FrameKind::alive, 9);  // the predecessor needs no messages before iteration 9
  scene.said();
  scene.hello(1, 0, 90);
  CHECK(scene.events<PeerDeparted>().size() == 1);
  CHECK(scene.said().empty());  // no refusal with the advice to resume: the new process is to join
}

TEST_CASE("joining: the word that a process has ended takes no edge from the one in its place") {
  Scene scene;
  scene.train();
  const auto word = [&](std::uint64_t incarnation) {
    FrameHeader departed = scene.header(0, FrameKind::departed, 0, incarnation);
    departed.slot = 1;
    scene.session.hear_observer(departed, {}, Instant{});
    return scene.events<PeerDeparted>().size();
  };
  CHECK(word(60) == 0);  // an earlier process of peer 1
  CHECK(word(81) == 1);
}

TEST_CASE("joining: who asks a peer that knows of nothing is a new process, too") {
  Scene scene;
  scene.train();
  scene.session.hear_source(scene.header(1, FrameKind::join), {}, Instant{});
  REQUIRE(scene.session.events().size() == 2);
  CHECK(std::holds_alternative<PeerDeparted>(scene.session.events()[0]));
  CHECK(std::holds_alternative<ModelAsked>(scene.session.events()[1]));
}

TEST_CASE(
    "session, drop: whoever leaves tells its neighbors why, and an earlier version that does not is heard") {
  Scene leaver;
  leaver.train();
  leaver.session.send_edge_request(
      {.what = EdgeRequest::What::leave, .neighbor = 1, .why = "its disk is full"});
  REQUIRE(leaver.session.outbox().size() == 2);  // over both links of the edge
  for (const PeerFrame& word : leaver.session.outbox()) {
    Scene neighbor;
    neighbor.train();
    FrameHeader parted = neighbor.header(1, FrameKind::parted);
    parted.slot = word.header.slot;
    word.way == PeerFrame::Way::outlet ? neighbor.session.hear_source(parted, word.payload, Instant{})
                                       : neighbor.session.hear_destination(1, parted, word.payload);
    const auto departed = neighbor.events<PeerDeparted>();
    REQUIRE(departed.size() == 1);
    CHECK(departed[0].how == "it has left: its disk is full");
    neighbor.session.hear_source(parted, {}, Instant{});
    const auto without_a_word = neighbor.events<PeerDeparted>();
    REQUIRE(without_a_word.size() == 1);
    CHECK(without_a_word[0].how == "it has left: it was asked to end, or its program has failed");
  }
}

TEST_CASE("joining: a run that is about to end is joined by nobody, in a sentence") {
  Scene asked;
  asked.train();
  asked.session.send_edge_request({EdgeRequest::What::part, 1});
  asked.session.outbox().clear();
  asked.session.give({1, {99, 90}, {}});
  REQUIRE(asked.session.outbox().size() == 1);
  const PeerFrame& word = asked.session.outbox()[0];
  CHECK(word.header.kind == FrameKind::refuse);
  Scene joiner;
  joiner.session.begin(Instant{});
  joiner.reply(1, FrameKind::parted);
  joiner.session.hear_destination(1, joiner.header(1, FrameKind::refuse), word.payload);
  const auto refusals = joiner.events<TakesNoPart>();
  REQUIRE(refusals.size() == 1);
  CHECK(refusals[0].reason == "the run ends before peer 1 can join it");
}

TEST_CASE("joining: those that come later are not waited for, and one of them does not begin by itself") {
  Scene without({2});
  without.session.begin(Instant{});
  CHECK(without.said() == Words{{1, FrameKind::hello}});
  without.hello(1);
  without.reply(1, FrameKind::welcome, 1);
  CHECK(without.told_observer().back() == FrameKind::ready);
  Scene later({1, 2, 3});
  later.session.begin(Instant{});
  CHECK(later.told_observer() == Kinds{FrameKind::hello});
  later.observer(FrameKind::start, 100);
  CHECK(later.events<RunStarts>().empty());
}

TEST_CASE("joining: a model is as many finite numbers as the run's have") {
  PacketPool packets;
  const Vector<float> model = Vector<float>::LinSpaced(3, 1.0f, 3.0f);
  const PacketRef copy = copy_of(model, packets.acquire());
  CHECK(model_of<float>(copy->bytes(), 3) == std::optional(model));
  CHECK_FALSE(model_of<float>(copy->bytes(), 4));
  Vector<float> bad = model;
  bad[1] = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(model_of<float>(copy_of(bad, packets.acquire())->bytes(), 3));
}

TEST_CASE("failure.join_later: what a run cannot begin without, or never take in, is refused in a sentence") {
  CHECK(refusal(joined_later({2})).empty());
  CHECK(refusal(joined_later({1, 3})).find("the graph falls apart") != std::string::npos);
  CHECK(refusal(joined_later({1, 2, 3})).find("at least two peers") != std::string::npos);
  CHECK(refusal(joined_later({0})).find("peer 0 keeps the record") != std::string::npos);
  CHECK(refusal(joined_later({4})).find("peers 0 to 3") != std::string::npos);
  RunSettings waits = joined_later({2});
  waits.failure.policy = RunSettings::Failure::Policy::wait;
  CHECK(refusal(waits).find("failure.policy = \"drop\"") != std::string::npos);
  RunSettings staged = joined_later({2});
  staged.algorithm.kind = "dpsvrg";
  CHECK(refusal(staged) ==
        "failure.join_later = [2]: dpsvrg cannot be joined: what its peers keep is more than a model; "
        "expected []");
}

TEST_CASE("edges: a word of before an edge came back, over another connection, does not remove it again") {
  Scene scene;
  scene.train();
  scene.session.send_edge_request({EdgeRequest::What::part, 1});
  scene.session.send_edge_request({EdgeRequest::What::take, 1, 12});  // in again from iteration 12 on
  scene.session.hear_source(scene.header(1, FrameKind::parted, 5), {}, Instant{});
  scene.reply(1, FrameKind::parted, 5);
  CHECK(!scene.has_departed());
  FrameHeader leaves = scene.header(1, FrameKind::parted, 5);
  leaves.slot = 1;
  scene.session.hear_source(leaves, {}, Instant{});
  CHECK(scene.has_departed());
  scene.session.hear_source(scene.header(1, FrameKind::parted, 12), {}, Instant{});
  CHECK(scene.has_departed());
}

TEST_CASE("edges: a hello that comes after its sender has taken the offer is not of a new process") {
  Scene scene;
  scene.train();
  constexpr std::uint32_t anew = 91;  // the process of peer 1 was started anew, and joined
  scene.session.send_edge_request({EdgeRequest::What::part, 1});
  scene.session.send_edge_request({EdgeRequest::What::offer, 1, 12});
  FrameHeader taken = scene.header(1, FrameKind::taken, 12);
  taken.incarnation = anew;
  scene.session.hear_destination(1, taken, {});
  scene.session.send_edge_request({EdgeRequest::What::agree, 1, 12});
  scene.session.events().clear();
  scene.hello(1, 0, anew);
  CHECK(!scene.has_departed());
  scene.hello(1, 0, 92);
  CHECK(scene.has_departed());
}

}  // namespace hearsay::test::joining_session_test
