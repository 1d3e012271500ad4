#include "runtime/session/probe.hpp"

#include <doctest/doctest.h>

#include "runtime/session/probe_verdict.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::probe_test {

using namespace std::chrono_literals;

namespace {

Prober prober(PeerId id, const std::string& seed = "1") {
  return {id, 7, Agreement{{{"protocol", "2"}, {"run.seed", seed}}}};
}

/// Peer 1 calls peer 2.
struct Scene {
  explicit Scene(const std::string& seed_of_2 = "1") : server(prober(2, seed_of_2), {1}) {}

  /// Passes frames, each of which takes `way`, until the caller has nothing more to ask.
  void talk(Duration way = 1ms) {
    while (const auto question = caller.tick(now)) {
      now += way;
      const auto answer = server.hear(question->header, question->payload);
      now += way;
      if (answer) caller.hear(answer->header, answer->payload, now);
    }
  }

  EdgeEvidence evidence() const {
    return {.caller = &caller, .called = nullptr, .handshake = {}, .tcp = {}, .own_address = "tcp://me:1"};
  }

  Instant now{1h};
  ProbeCaller caller{prober(1), 2};
  ProbeServer server;
};

}  // namespace

TEST_CASE("connection probe: caller and server agree in the end that the connection works") {
  Scene scene;
  CHECK(scene.server.undecided() == std::vector<PeerId>{1});
  scene.talk();
  CHECK(scene.caller.satisfied());
  CHECK(scene.server.of(1).satisfied);
  CHECK(scene.server.undecided().empty());
  CHECK(scene.caller.round_trips() == std::vector<Duration>(ProbeCaller::measured, 2ms));
  const CheckedEdge edge = judge_edge("peer 2", "tcp://a:1", scene.evidence());
  CHECK(edge.works());
  CHECK(edge.out == true);
  CHECK_FALSE(edge.in.has_value());
  CHECK(edge.wrong.empty());
}

TEST_CASE("connection probe: it says little, whoever answers or does not") {
  Scene scene;
  int said = 0;
  for (; scene.now < Instant{1h + 30s}; scene.now += 100ms)
    while (scene.caller.tick(scene.now)) ++said;
  CHECK(said == 15);  // every two seconds
  CHECK(scene.caller.round_trips().empty());

  Scene answered;
  said = 0;
  while (const auto question = answered.caller.tick(answered.now)) {
    ++said;
    if (const auto answer = answered.server.hear(question->header, question->payload))
      answered.caller.hear(answer->header, answer->payload, answered.now);
  }
  CHECK(said == ProbeCaller::measured + 2);
}

TEST_CASE(
    "connection probe: the time until a server comes up, and that of a repeated question, are none on the "
    "way") {
  Scene scene;
  REQUIRE(scene.caller.tick(scene.now));
  scene.now += 20s;
  const auto late = scene.caller.tick(scene.now);
  const auto answer = scene.server.hear(late->header, late->payload);
  scene.caller.hear(answer->header, answer->payload, scene.now);
  REQUIRE(scene.caller.tick(scene.now));  // this question is lost
  scene.now += ProbeCaller::patience;
  scene.talk();
  CHECK(scene.caller.satisfied());
  CHECK(scene.caller.round_trips() == std::vector<Duration>(ProbeCaller::measured - 1, 2ms));
}

TEST_CASE("connection probe: answers that come twice are heard once") {
  Scene scene;
  for (int repetition = 0; repetition < 40; ++repetition) {
    const auto question = scene.caller.tick(scene.now);
    if (!question) break;
    const auto answer = scene.server.hear(question->header, question->payload);
    for (int times = 0; answer && times < 2; ++times)
      scene.caller.hear(answer->header, answer->payload, scene.now);
  }
  CHECK(scene.caller.satisfied());
  CHECK(scene.caller.round_trips().size() == ProbeCaller::measured);
}

TEST_CASE("connection probe: another run file is named to both, with both values") {
  Scene scene("5");
  scene.talk();
  CHECK(scene.caller.complaint() == "peer 2 runs with run.seed = 5, peer 1 with 1");
  CHECK(scene.server.of(1).complaint == "peer 1 runs with run.seed = 1, peer 2 with 5");
  CHECK(scene.server.undecided().empty());
  CHECK_FALSE(scene.caller.tick(scene.now + 1h));
  CHECK_FALSE(judge_edge("peer 2", "tcp://a:1", scene.evidence()).works());
  CHECK(judge_observer("tcp://a:1", scene.server).wrong == scene.server.of(1).complaint);
}

TEST_CASE("connection probe: a peer whose run file was mended is judged anew") {
  ProbeServer server(prober(2), {1});
  const auto of = [&](const std::string& seed) {
    ProbeCaller caller(prober(1, seed), 2);
    const auto question = caller.tick(Instant{1h});
    return server.hear(question->header, question->payload);
  };
  CHECK(of("9")->header.slot == 1);
  CHECK(server.undecided().empty());
  CHECK(of("1")->header.slot == 0);
  CHECK(server.undecided() == std::vector<PeerId>{1});
}

TEST_CASE("connection probe: another peer at the address is named, and strangers are refused") {
  Scene scene;
  FrameHeader answer;
  answer.kind = FrameKind::probed;
  answer.sender = 3;
  scene.caller.hear(answer, {}, scene.now);
  CHECK(scene.caller.complaint() == "peer 3 listens there, not peer 2");

  ProbeCaller stranger(prober(6), 2);
  const auto question = stranger.tick(Instant{1h});
  const auto refusal = scene.server.hear(question->header, question->payload);
  REQUIRE(refusal);
  stranger.hear(refusal->header, refusal->payload, Instant{1h});
  CHECK_FALSE(stranger.complaint().empty());
  CHECK(scene.server.undecided() == std::vector<PeerId>{1});
}

TEST_CASE("connection probe: rubbish for an agreement is refused, never an exception") {
  Scene scene;
  FrameHeader question;
  question.kind = FrameKind::probe;
  question.sender = 1;
  const std::vector<std::byte> rubbish(9, std::byte{0xEE});
  const auto answer = scene.server.hear(question, rubbish);
  REQUIRE(answer);
  CHECK(answer->header.slot == 1);
  CHECK(scene.server.of(1).complaint == "peer 1 sent an unreadable hello");
}

TEST_CASE("checked edge: the verdict names what is most telling") {
  Scene scene;
  EdgeEvidence seen = scene.evidence();
  const auto wrong = [&] { return judge_edge("peer 2", "tcp://a:1", seen).wrong; };
  CHECK(contains(wrong(), "something listens there but does not answer"));
  seen.tcp = "connection refused";
  CHECK(wrong() == "connection refused");
  ProbeServer::Caller called{.called = true, .satisfied = true, .trains = false, .complaint = {}};
  seen.called = &called;
  CHECK(wrong() == "connection refused; it does reach this peer");
  called = {.called = false, .satisfied = false, .trains = true, .complaint = {}};
  CHECK(contains(wrong(), "a run is under way there"));
  seen.handshake = "peer 2 refuses this peer's key";
  CHECK(wrong() == "peer 2 refuses this peer's key");
  scene.talk();
  called = {};
  CHECK(contains(wrong(), "it does not reach this peer at tcp://me:1"));
  CHECK(judge_edge("peer 2", "tcp://a:1", seen).in == false);
}

TEST_CASE("checked edge: the observer names all who did not reach it") {
  ProbeServer observer(prober(0), {0, 1, 2});
  const auto call = [&](PeerId id) {
    ProbeCaller caller(prober(id), 0);
    Instant now{1h};
    while (const auto question = caller.tick(now))
      if (const auto answer = observer.hear(question->header, question->payload))
        caller.hear(answer->header, answer->payload, now);
  };
  call(1);
  CHECK(judge_observer("tcp://a:1", observer).wrong == "did not reach the observer here: peer 0, peer 2");
  call(0);
  call(2);
  CHECK(judge_observer("tcp://a:1", observer).works());
}

}  // namespace hearsay::probe_test
