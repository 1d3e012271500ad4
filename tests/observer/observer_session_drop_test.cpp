#include <doctest/doctest.h>

#include "runtime/wire/words_to_observer.hpp"
#include "tests/observer/observer_scene.hpp"

namespace hearsay::test::observer_session_drop_test {

using namespace std::chrono_literals;

using Scene = ObserverScene;

namespace {

const Instant begin{};

/// Peer 0 alone sends heartbeats, for longer than failure.lost_after.
void lose_peer_1_by_silence(Scene& scene) {
  for (Duration at = 1s; at <= 8s; at += 100ms) {
    scene.session.judge_silence(begin + at);
    FrameHeader alive;
    alive.kind = FrameKind::alive;
    alive.sender = 0;
    alive.slot = 1;
    alive.sequence = 1;
    alive.run_id = run_id(scene.agreement);
    scene.session.hear(alive, {}, begin + at);
  }
}

}  // namespace

TEST_CASE(
    "observer session, drop: a peer that is silent to the observer is done without, and nobody is told that "
    "it is gone") {
  Scene scene(dropping_experiment());
  scene.start();
  scene.evaluation(0, 5);
  scene.said_to(0);
  lose_peer_1_by_silence(scene);
  const Kinds said = scene.said_to(0);
  CHECK(std::ranges::count(said, FrameKind::verdict) > 0);
  CHECK(std::ranges::count(said, FrameKind::departed) == 0);
  CHECK(scene.session.outcome().dropped == std::vector<PeerId>{1});
}

TEST_CASE("observer session, drop: the run ends without a peer that is lost, and the others are told so") {
  Scene scene(dropping_experiment());
  scene.start();
  scene.evaluation(0, 5);
  scene.said_to(0);
  scene.session.lose_peer(1, Instant{}, "peer 1 was lost: killed");
  CHECK(scene.said_to(0) == Kinds{FrameKind::departed, FrameKind::verdict});
  scene.hello(1);
  CHECK(scene.said_to(1) == Kinds{FrameKind::welcome});  // its neighbors tell it how to join
  for (const std::uint64_t iteration : {10u, 15u, 20u}) scene.evaluation(0, iteration);
  scene.result(0);
  scene.answer_last_word();
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::done);
  CHECK(scene.session.outcome().dropped == std::vector<PeerId>{1});
}

TEST_CASE("observer session, drop: who was lost, came back or joined is recorded with iteration and second") {
  using What = RunEvent::What;
  Scene scene(dropping_experiment(40));
  scene.start();
  for (const PeerId id : {0u, 1u}) scene.evaluation(id, 5);
  scene.session.lose_peer(1, begin + 4s, "peer 1 was lost: killed");  // the run began at second 1
  scene.evaluation(0, 10);
  scene.hello(1);
  FrameHeader join;
  join.kind = FrameKind::join;
  join.sender = 1;
  join.iteration = 12;
  join.run_id = run_id(scene.agreement);
  scene.session.hear(join, {}, begin + 6s);
  const std::vector<RunEvent> events = scene.session.outcome().events;
  REQUIRE(events.size() == 2);
  CHECK(events[0].what == What::lost);
  CHECK(events[0].peer == 1);
  CHECK(events[0].iteration == 5);
  CHECK(events[0].seconds == 3.0);
  CHECK(events[1].what == What::joined);
  CHECK(events[1].peer == 1);
  CHECK(events[1].iteration == 12);
  CHECK(events[1].seconds == 5.0);
}

TEST_CASE("observer session: the peer whose loss ends a run is recorded") {
  Scene scene(two_peer_experiment());
  scene.start();
  for (const PeerId id : {0u, 1u}) scene.evaluation(id, 5);
  scene.session.lose_peer(1, Instant{}, "peer 1 was lost: killed");
  const std::vector<RunEvent> events = scene.session.outcome().events;
  REQUIRE(events.size() == 1);
  CHECK(events[0].what == RunEvent::What::lost);
  CHECK(events[0].peer == 1);
}

TEST_CASE("observer session, drop: why a peer leaves is told to the others") {
  Scene scene(dropping_experiment());
  scene.start();
  scene.evaluation(0, 5);
  scene.said_to(0);
  const std::string why = "its disk is full";
  scene.say(1, FrameKind::parted, std::as_bytes(std::span(why)));
  const auto& words = scene.session.outbox();
  const auto departed = std::ranges::find_if(words, [](const ObserverFrame& word) {
    return word.to == 0 && word.header.kind == FrameKind::departed;
  });
  REQUIRE(departed != words.end());
  CHECK(printable_text(departed->payload) == "it has left: its disk is full");
}

TEST_CASE(
    "observer session, drop: a run begins without a peer that is lost before, and whoever comes is told") {
  for (const bool had_called : {false, true}) {
    CAPTURE(had_called);
    Scene scene(dropping_experiment());
    if (had_called) scene.hello(1);
    scene.session.lose_peer(1, Instant{}, "peer 1 was lost: killed");
    CHECK_FALSE(scene.session.over());
    scene.said_to(0);
    scene.hello(0);
    CHECK(scene.said_to(0) == Kinds{FrameKind::welcome, FrameKind::departed});
    scene.say(0, FrameKind::ready);
    CHECK(scene.session.started());
    for (const std::uint64_t iteration : {5u, 10u, 15u, 20u}) scene.evaluation(0, iteration);
    scene.result(0);
    CHECK(scene.session.outcome().status == RunStatus::done);
    CHECK(scene.session.outcome().dropped == std::vector<PeerId>{1});
  }
  Scene seen(dropping_experiment());  // its starter has seen it end before its first word
  seen.hello(0);
  seen.say(0, FrameKind::ready);
  seen.session.note_end_seen(7, "no such peer");
  CHECK_FALSE(seen.session.started());
  seen.said_to(0);
  seen.session.note_end_seen(1, "it was killed");
  CHECK(seen.said_to(0) == Kinds{FrameKind::departed});
  seen.session.tick(begin + 1s);
  CHECK(seen.session.started());
  Scene spoken(dropping_experiment());  // once it has said something, only its silence counts
  for (const PeerId id : {0u, 1u}) spoken.hello(id);
  spoken.say(0, FrameKind::ready);
  spoken.session.note_end_seen(1, "its connection broke");
  spoken.session.tick(begin + 1s);
  CHECK_FALSE(spoken.session.started());
  spoken.say(1, FrameKind::ready);
  CHECK(spoken.session.started());
  spoken.session.note_end_seen(1, "its connection broke");
  CHECK(spoken.session.outcome().dropped.empty());
  Scene waiting(two_peer_experiment());  // under "wait" the launcher ends the run
  waiting.hello(0);
  waiting.session.note_end_seen(1, "it was killed");
  CHECK(waiting.session.is_open());
  Scene ready(dropping_experiment());  // the others are ready before it is lost
  for (const PeerId id : {0u, 1u}) ready.hello(id);
  ready.say(0, FrameKind::ready);
  for (Duration at = 1s; at <= 8s; at += 100ms) {
    FrameHeader alive;
    alive.kind = FrameKind::ready;
    alive.run_id = run_id(ready.agreement);
    ready.session.hear(alive, {}, begin + at);
    ready.session.judge_silence(begin + at);
    ready.session.tick(begin + at);
  }
  CHECK(ready.session.started());
  CHECK(ready.session.outcome().dropped == std::vector<PeerId>{1});
}

TEST_CASE("observer session, drop: a peer that is lost when it had done all it was to do costs nothing") {
  Scene scene(dropping_experiment());
  scene.start();
  for (const std::uint64_t iteration : {5u, 10u, 15u, 20u})
    for (const PeerId id : {0u, 1u}) scene.evaluation(id, iteration);
  scene.result(1);
  scene.said_to(0);
  scene.session.lose_peer(1, Instant{}, "peer 1 was lost: killed");
  CHECK(scene.said_to(0) == Kinds{FrameKind::departed});  // its neighbors must learn of it, too
  CHECK_FALSE(scene.session.over());
  scene.result(0);
  scene.answer_last_word();
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::done);
  CHECK(scene.session.outcome().dropped.empty());
}

TEST_CASE(
    "observer session, drop: peers that went on without an observer that stood still are evaluated from "
    "where they are") {
  Scene scene(dropping_experiment(40));
  scene.start();
  for (const PeerId id : {0u, 1u}) scene.evaluation(id, 5);
  const auto alive = [&](PeerId id, std::uint64_t iteration, Slot slot) {
    scene.say(id, FrameKind::alive, {}, iteration, 0, slot);
  };
  for (const PeerId id : {0u, 1u}) alive(id, 21, 2);
  CHECK(scene.session.outcome().dropped.size() == 2);
  alive(0, 25, 2);
  CHECK(scene.session.outcome().returned == 0);
  CHECK_FALSE(scene.session.over());
  alive(0, 26, 3);
  alive(1, 27, 5);  // it detached once more in between
  CHECK(scene.session.outcome().returned == 2);
  CHECK(scene.session.outcome().dropped.empty());
  scene.said_to(0);
  for (const std::uint64_t iteration : {30u, 35u, 40u}) {
    scene.evaluation(1, iteration);
    CHECK(scene.said_to(0).empty());
    scene.evaluation(0, iteration);
    CHECK(scene.said_to(0) == Kinds{FrameKind::verdict});
  }
  for (const PeerId id : {0u, 1u}) scene.result(id);
  scene.answer_last_word();
  CHECK(scene.session.over());
  std::vector<std::uint64_t> evaluated;
  for (const Evaluation& evaluation : scene.session.evaluations()) evaluated.push_back(evaluation.iteration);
  CHECK(evaluated == std::vector<std::uint64_t>{0, 5, 30, 35, 40});
}

TEST_CASE(
    "observer session, drop: the last peer that is left waits for no evaluation that it passed while it was "
    "lost") {
  Scene scene(dropping_experiment(40));
  scene.start();
  for (const PeerId id : {0u, 1u}) scene.evaluation(id, 5);
  lose_peer_1_by_silence(scene);
  // It has come to iteration 15, and waits for the verdict on iteration 10 before it goes on.
  scene.say(1, FrameKind::alive, {}, 16, 0, 1);
  CHECK(scene.session.outcome().returned == 1);
  scene.said_to(1);
  scene.session.lose_peer(0, Instant{}, "peer 0 was lost: killed");
  std::vector<std::uint64_t> verdicts;
  for (const ObserverFrame& word : scene.session.outbox())
    if (word.to == 1 && word.header.kind == FrameKind::verdict) verdicts.push_back(word.header.iteration);
  CHECK(verdicts == std::vector<std::uint64_t>{15});
  for (const std::uint64_t iteration : {20u, 25u, 30u, 35u, 40u}) scene.evaluation(1, iteration);
  scene.result(1);
  scene.answer_last_word();
  CHECK(scene.session.outcome().status == RunStatus::done);
}

TEST_CASE("observer session, drop: a run whose peers all go on without the observer is not over") {
  Scene scene(dropping_experiment(40));
  scene.start();
  for (const PeerId id : {0u, 1u}) scene.evaluation(id, 5);
  const auto alive = [&](std::uint64_t iteration, Slot slot) {
    scene.say(0, FrameKind::alive, {}, iteration, 0, slot);
  };
  alive(12, 2);  // it could not hear the observer, which stood still
  scene.session.lose_peer(1, Instant{}, "peer 1 has left");
  CHECK_FALSE(scene.session.over());
  CHECK(scene.session.is_open());
  alive(13, 3);
  CHECK(scene.session.outcome().returned == 1);
  scene.evaluation(0, 40);
  scene.result(0);
  scene.answer_last_word();
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::done);
  CHECK(scene.session.outcome().dropped == std::vector<PeerId>{1});
}

TEST_CASE("observer session, drop: one that joins takes part in the evaluations that it can do") {
  Scene scene(dropping_experiment());
  scene.start();
  PeerMeters meters;
  meters.bytes_sent = 1000;
  const auto say_evaluation = [&](PeerId sender, std::uint64_t iteration) {
    scene.say(sender, FrameKind::evaluation, encode_snapshot(meters, scene.experiment.problem.initial),
              iteration, 0, 0, sender == 1 && iteration == 10 ? 7 : 0);
  };
  for (const PeerId id : {0u, 1u}) say_evaluation(id, 5);
  scene.said_to(0);
  // Another process with the id of peer 1, before anyone noticed that the first was gone: the others are
  // told.
  scene.say(1, FrameKind::hello, encode_agreement(scene.agreement), 20, 0, 0, 7);
  CHECK(scene.said_to(0) == Kinds{FrameKind::departed});
  scene.say(1, FrameKind::join, {}, 8, 0, 0, 6);  // of a process that was not welcomed
  CHECK(scene.said_to(1) == Kinds{FrameKind::again});
  scene.say(1, FrameKind::join, {}, 8, 0, 0, 7);
  CHECK(scene.said_to(1) == Kinds{FrameKind::start, FrameKind::verdict, FrameKind::verdict});
  scene.say(1, FrameKind::join, {}, 8, 0, 0, 7);  // repeated, since the answer was lost
  CHECK(scene.said_to(1) == Kinds{FrameKind::start, FrameKind::verdict, FrameKind::verdict});
  say_evaluation(0, 10);
  CHECK(scene.said_to(0).empty());
  meters.bytes_sent = 10;  // its counters begin at 0 again
  say_evaluation(1, 10);
  CHECK(scene.said_to(0) == Kinds{FrameKind::verdict});
  CHECK(scene.session.evaluations().back().bytes_sent == 2010);
  CHECK(scene.session.outcome().joined == std::vector<PeerId>{1});
  CHECK(scene.session.outcome().dropped.empty());
  CHECK(scene.session.outcome().returned == 0);
}

TEST_CASE("observer session, drop: a process that joins in its own place makes no evaluation a second time") {
  Scene scene(dropping_experiment());
  scene.start();
  for (const PeerId id : {0u, 1u}) scene.evaluation(id, 5);
  scene.evaluation(0, 10);
  scene.say(1, FrameKind::join, {}, 8);  // it did not hear `start`, and its neighbor has gone on without it
  scene.evaluation(1, 10);               // that was made without it, as it joined
  for (const PeerId id : {0u, 1u}) scene.evaluation(id, 15);
  scene.session.lose_peer(0, Instant{}, "peer 0 was lost: killed");
  std::vector<std::uint64_t> made;
  for (const Evaluation& evaluation : scene.session.evaluations()) made.push_back(evaluation.iteration);
  CHECK(made == std::vector<std::uint64_t>{0, 5, 10, 15});
}

TEST_CASE("observer session, drop: a run that is at its end takes nobody in, and says so") {
  Scene scene(dropping_experiment());
  scene.start();
  scene.session.lose_peer(1, Instant{}, "peer 1 was lost: killed");
  for (const std::uint64_t iteration : {5u, 10u, 15u, 20u}) scene.evaluation(0, iteration);
  scene.say(1, FrameKind::hello, encode_agreement(scene.agreement), 20, 0, 0, 7);
  scene.said_to(1);
  scene.say(1, FrameKind::join, {}, 19, 0, 0, 7);
  CHECK(scene.said_to(1) == Kinds{FrameKind::refuse});
  CHECK(scene.session.outcome().joined.empty());
}

TEST_CASE(
    "observer session, drop: before a run of hosts begins, a peer is silent from its first word on only") {
  const Experiment<double> experiment = dropping_experiment();
  const Agreement agreement = agreement_of(experiment);
  Observer<double> evaluator(experiment.problem);
  ObserverSession session(Scene::on_hosts(experiment), evaluator, begin);
  const auto say = [&](PeerId sender, FrameKind kind, Duration at) {
    FrameHeader header;
    header.kind = kind;
    header.sender = sender;
    header.run_id = run_id(agreement);
    header.iteration = experiment.iterations;
    const std::vector<std::byte> payload =
        kind == FrameKind::hello ? encode_agreement(agreement) : std::vector<std::byte>();
    session.hear(header, payload, begin + at);
  };
  /// Time passes, in which peer 0 is heard.
  const auto pass = [&](Duration from, Duration until) {
    for (Duration at = from; at < until; at += 500ms) {
      say(0, FrameKind::ready, at);
      session.tick(begin + at);
      session.judge_silence(begin + at);
    }
  };
  say(0, FrameKind::hello, 1s);
  pass(1s, 30s);
  CHECK_FALSE(session.started());  // peer 1 may come at any time
  say(1, FrameKind::hello, 30s);   // long after `lost_after`, 6 s
  pass(30s, 35s);
  CHECK(session.outcome().dropped.empty());
  pass(35s, 38s);  // it was killed before it was ready
  CHECK(session.outcome().dropped == std::vector<PeerId>{1});
  CHECK(session.started());
}

TEST_CASE("observer session, drop: an observer that comes anew, and never begins, ends nobody else's run") {
  Scene scene(dropping_experiment());
  scene.hello(1, 2);  // the peer is in the middle of a run
  scene.said_to(1);
  scene.session.lose("peer 0 has ended");
  CHECK(scene.said_to(1).empty());
}

TEST_CASE(
    "observer session, drop: an observer that ends before it hears that a run is under way does not end it") {
  for (const bool by_user : {false, true}) {
    Scene scene(dropping_experiment());
    scene.hello(0);
    if (by_user)
      scene.session.interrupt(begin);
    else
      scene.session.lose("peer 1 has gone on without peer 0");
    scene.hello(1, 2);  // its process is in the middle of the run
    CHECK(scene.said_to(1).empty());
    CHECK(scene.session.over());
  }
}

TEST_CASE(
    "observer session, drop: a hub that wakes may be the last to tell its observer that the standby took "
    "over") {
  const PeerId standby = 1;
  for (const bool hub_tells_first : {true, false}) {
    CAPTURE(hub_tells_first);
    auto experiment = quadratic_experiment<double>("fed-avg", "star", 3, 3);
    experiment.settings.failure.policy = RunSettings::Failure::Policy::drop;
    experiment.settings.failure.hub_standby = standby;
    Scene scene(std::move(experiment));
    for (const PeerId id : {0u, standby, 2u}) scene.hello(id);
    for (const PeerId id : {0u, standby, 2u}) scene.say(id, FrameKind::ready);
    /// A heartbeat of the standby, which has lost its observer and had it back `turns` times.
    const auto beats = [&](std::uint32_t turns) {
      FrameHeader alive;
      put(to_observer::Alive{.contact = {.turns = turns}}, alive);
      alive.sender = standby;
      alive.run_id = run_id(scene.agreement);
      scene.session.hear(alive, {}, begin + 1s);
    };
    // The hub's process has stood still, hub and observer alike, and both read what came meanwhile.
    beats(1);
    if (hub_tells_first) scene.say(0, FrameKind::parted);
    beats(2);
    if (!hub_tells_first) scene.say(0, FrameKind::parted);
    CHECK(scene.session.is_open());
    beats(2);
    for (const PeerId id : {standby, 2u})
      for (const std::uint64_t iteration : {5u, 10u, 15u, 20u}) scene.evaluation(id, iteration);
    for (const PeerId id : {standby, 2u}) scene.result(id);
    CHECK(scene.session.outcome().status == RunStatus::done);
    CHECK(scene.session.outcome().dropped == std::vector<PeerId>{0});
  }
}

}  // namespace hearsay::test::observer_session_drop_test
