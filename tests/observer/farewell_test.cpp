#include <doctest/doctest.h>

#include "runtime/wire/stop.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "tests/observer/observer_scene.hpp"

namespace hearsay::test::farewell_test {

using namespace std::chrono_literals;

namespace {

/// An observer whose two peers have begun the run; lost_after is 6 s, so a heartbeat is 1.2 s.
struct UnderWay : ObserverScene {
  UnderWay() {
    start();
    session.outbox().clear();
  }

  void evaluate_all() {
    for (const std::uint64_t iteration : {5u, 10u, 15u, 20u})
      for (const PeerId id : {0u, 1u}) evaluation(id, iteration);
  }
  /// Both peers send their results, so the observer says bye.
  void end() {
    evaluate_all();
    for (const PeerId id : {0u, 1u}) result(id);
  }
  /// Lets time pass in small steps: an observer that stood still itself takes nobody for silent.
  void pass(Duration time) {
    for (const Instant end = now + time; now < end;) session.tick(now += 100ms);
  }
  /// Returns the exit codes in the byes to `to` since the last call, and clears the outbox.
  std::vector<int> byes_to(PeerId to) {
    std::vector<int> codes;
    for (const ObserverFrame& word : session.outbox())
      if (word.to == to && word.header.kind == FrameKind::bye)
        codes.push_back(from_observer::as_bye(word.header).exit_code);
    session.outbox().clear();
    return codes;
  }

  Instant now = Instant{} + 1s;
};

using Codes = std::vector<int>;

}  // namespace

TEST_CASE("farewell: the observer leaves only when every peer has answered its bye") {
  UnderWay scene;
  scene.end();
  CHECK(scene.byes_to(1) == Codes{0});
  CHECK(!scene.session.over());
  scene.say(0, FrameKind::bye);
  CHECK(!scene.session.over());
  scene.say(0, FrameKind::bye);  // not for peer 1
  CHECK(!scene.session.over());
  scene.say(1, FrameKind::bye);
  CHECK(scene.session.over());
  CHECK(scene.session.did_not_confirm().empty());
}

TEST_CASE("farewell: a bye that is not answered is said again with every heartbeat, to that peer alone") {
  UnderWay scene;
  scene.end();
  scene.say(0, FrameKind::bye);
  scene.session.outbox().clear();
  scene.pass(3600ms);
  int byes = 0;
  for (const ObserverFrame& word : scene.session.outbox()) {
    CHECK(word.to == 1);
    byes += word.header.kind == FrameKind::bye;
  }
  CHECK(byes == 3);
  CHECK(!scene.session.over());
}

TEST_CASE("farewell: a peer that says nothing for lost_after is given up, and named") {
  UnderWay scene;
  scene.end();
  scene.say(0, FrameKind::bye);
  scene.pass(6s);
  CHECK(!scene.session.over());
  scene.pass(100ms);
  CHECK(scene.session.over());
  CHECK(scene.session.did_not_confirm() == std::vector<PeerId>{1});
  CHECK(scene.session.outcome().status == RunStatus::done);
}

TEST_CASE("farewell: a process that has ended is not waited for, nor one without a connection at two beats") {
  UnderWay scene;
  scene.end();
  scene.session.lose_peer(0, Instant{}, "it was killed");
  CHECK(!scene.session.over());
  scene.session.note_unreachable(1);
  scene.say(1, FrameKind::alive);  // it is back
  scene.session.note_unreachable(1);
  CHECK(!scene.session.over());
  scene.session.note_unreachable(1);
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::done);
}

TEST_CASE("farewell: the bye of a run that has diverged says so, and so does that of an interrupted one") {
  UnderWay diverged;
  PeerOutcome outcome;
  outcome.divergence = Divergence{3, "the model is not finite", false};
  diverged.say(0, FrameKind::result, encode_outcome(outcome));
  CHECK(diverged.said_to(1) == Kinds{FrameKind::stop});
  diverged.result(1);
  CHECK(diverged.byes_to(1) == Codes{4});
  for (const PeerId id : {0u, 1u}) diverged.say(id, FrameKind::bye);
  CHECK(diverged.session.over());

  UnderWay interrupted;
  interrupted.session.interrupt(interrupted.now);
  interrupted.pass(6s);  // no peer sends its result
  CHECK(interrupted.byes_to(1) == Codes{130});
  CHECK(!interrupted.session.over());
  for (const PeerId id : {0u, 1u}) interrupted.say(id, FrameKind::bye);
  CHECK(interrupted.session.over());
  CHECK(interrupted.session.outcome().status == RunStatus::interrupted);
}

TEST_CASE("farewell: a reason to stop is said with every heartbeat until each peer has answered") {
  UnderWay scene;
  scene.session.lose("the record cannot be written");
  CHECK(scene.said_to(0) == Kinds{FrameKind::stop});
  scene.say(1, FrameKind::bye);
  CHECK(!scene.session.over());
  scene.pass(1200ms);
  CHECK(scene.said_to(0) == Kinds{FrameKind::stop});
  scene.say(0, FrameKind::bye);
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::lost);
}

TEST_CASE("farewell: a peer that ends the run with its reason is not waited for") {
  UnderWay scene;
  const std::string reason = "peer 1: its objective failed";
  scene.say(1, FrameKind::stop, std::as_bytes(std::span(reason)), 0, 0, 3);
  CHECK(!scene.session.over());
  scene.say(0, FrameKind::stop);
  CHECK(scene.session.over());
}

TEST_CASE("farewell: of a peer that has ended while the run is being interrupted no result is awaited") {
  UnderWay scene;
  const std::string reason = "peer 1 was interrupted";
  scene.say(1, FrameKind::stop, std::as_bytes(std::span(reason)), 0, 0, 130);
  CHECK(!scene.session.over());
  scene.say(0, FrameKind::stop, std::as_bytes(std::span(reason)), 0, 0, 130);  // it has heard peer 1
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::interrupted);
}

TEST_CASE("farewell: what fails while the run is being interrupted is not why it ends") {
  UnderWay scene;
  scene.session.interrupt(scene.now);
  const std::string reason = "peer 1: its objective failed";
  scene.say(1, FrameKind::stop, std::as_bytes(std::span(reason)), 0, 0, 3);
  scene.result(0);
  CHECK(scene.byes_to(0) == Codes{130});
  CHECK(scene.session.outcome().status == RunStatus::interrupted);
}

TEST_CASE("farewell: nothing that comes after the bye changes how the run has ended") {
  UnderWay scene;
  scene.end();
  const std::string reason = "peer 1: its objective failed";
  scene.say(1, FrameKind::stop, std::as_bytes(std::span(reason)), 0, 0, 3);
  scene.session.judge_silence(scene.now + 1h);
  scene.session.lose("peer 0 has ended");
  scene.session.interrupt(scene.now);
  CHECK(scene.session.over());  // the user does not wait
  CHECK(scene.session.outcome().status == RunStatus::done);
}

TEST_CASE("farewell: a peer that was killed after its result, and is started again, is told to stop") {
  UnderWay scene;
  scene.end();
  scene.say(0, FrameKind::bye);
  scene.session.outbox().clear();
  scene.say(1, FrameKind::hello, encode_agreement(scene.agreement), scene.experiment.iterations, 0, 1, 7);
  REQUIRE(scene.session.outbox().size() == 1);
  CHECK(scene.session.outbox()[0].header.kind == FrameKind::stop);
  CHECK(scene.session.outbox()[0].only_to == 7u);
  CHECK(as_stop(scene.session.outbox()[0].header).exit_code == 0);
  CHECK(scene.session.over());
}

TEST_CASE(
    "farewell: a peer that comes back while the run is being interrupted is told with which code it ends") {
  for (const bool all_have_sent : {false, true}) {
    UnderWay scene;
    scene.session.interrupt(scene.now);
    if (all_have_sent)
      for (const PeerId id : {0u, 1u}) scene.result(id);
    scene.session.outbox().clear();
    FrameHeader hello;
    hello.kind = FrameKind::hello;
    hello.sender = 1;
    hello.incarnation = 7;
    hello.slot = 1;  // it resumes
    hello.iteration = scene.experiment.iterations;
    hello.run_id = run_id(scene.agreement);
    // The second time the process before it has not answered.
    for (const Instant at : {scene.now, scene.now + 2s})
      scene.session.hear(hello, encode_agreement(scene.agreement), at);
    std::optional<int> code;
    for (const ObserverFrame& word : scene.session.outbox())
      if (word.to == 1 && word.header.kind == FrameKind::stop) code = as_stop(word.header).exit_code;
    CHECK(code == 130);
  }
}

TEST_CASE("farewell: peers that fall silent while the run is being interrupted do not make it lost") {
  UnderWay scene;
  scene.pass(4s);
  scene.session.interrupt(scene.now);
  scene.pass(3s);  // they have said nothing for 7 s, of the 6 s that they may
  for (int peers = 0; peers < 2; ++peers) scene.session.judge_silence(scene.now);
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::interrupted);
}

TEST_CASE(
    "farewell: a peer that is late for a run which ended before it began hears why, as the others did") {
  for (const int exit_code : {130, 3, 2}) {
    CAPTURE(exit_code);
    ObserverScene scene;
    scene.hello(0);
    const std::string reason = "peer 0 was interrupted before the run began";
    exit_code == 130 ? scene.session.interrupt(Instant{} + 1s, reason)
                     : scene.session.lose(reason, exit_code);
    scene.session.outbox().clear();
    scene.say(1, FrameKind::hello, encode_agreement(scene.agreement), scene.experiment.iterations, 0, 0, 7);
    REQUIRE(scene.session.outbox().size() == 1);
    const ObserverFrame& word = scene.session.outbox()[0];
    CHECK(word.header.kind == FrameKind::stop);
    CHECK(as_stop(word.header).exit_code == exit_code);
    CHECK(word.only_to == 7u);
    CHECK(printable_text(word.payload) == reason);
    CHECK(!scene.session.over());  // peer 0 has not answered
    scene.say(0, FrameKind::bye);
    CHECK(scene.session.over());
  }
}

}  // namespace hearsay::test::farewell_test
