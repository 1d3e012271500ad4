#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "runtime/wire/numbers.hpp"
#include "runtime/wire/stop.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "tests/observer/observer_scene.hpp"

namespace hearsay::test::observer_session_test {

using namespace std::chrono_literals;

using Scene = ObserverScene;

namespace {

const Instant begin{};

}  // namespace

TEST_CASE("observer session: hello, ready, start, evaluations, results, bye") {
  Scene scene;
  scene.hello(0);
  CHECK(scene.said_to(0) == Kinds{FrameKind::welcome});
  scene.say(0, FrameKind::ready);
  CHECK(scene.said_to(0).empty());
  scene.hello(1);
  scene.say(1, FrameKind::ready);
  CHECK(scene.said_to(0) == Kinds{FrameKind::start, FrameKind::verdict});
  for (const std::uint64_t iteration : {5u, 10u, 15u, 20u}) {
    scene.evaluation(1, iteration);
    CHECK(scene.said_to(1).empty());
    scene.evaluation(0, iteration);
    CHECK(scene.said_to(1) == Kinds{FrameKind::verdict});
  }
  scene.result(0);
  CHECK(!scene.session.over());
  scene.result(1);
  CHECK(scene.said_to(1) == Kinds{FrameKind::bye});
  scene.answer_last_word();
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::done);
  CHECK(scene.session.outcome().evaluations.size() == 5);
}

TEST_CASE("observer session: a survivor of an earlier run, or a stranger, changes nothing") {
  Scene scene;
  scene.say(0, FrameKind::ready);  // never said hello
  scene.result(0);
  scene.start();
  scene.session.outbox().clear();
  const std::uint32_t other_run = run_id(scene.agreement) + 1;
  scene.say(0, FrameKind::result, encode_outcome(PeerOutcome{}), 0, other_run);
  scene.say(1, FrameKind::result, encode_outcome(PeerOutcome{}), 0, other_run);
  scene.say(0, FrameKind::stop, {}, 0, other_run);
  scene.say(7, FrameKind::stop);
  CHECK(!scene.session.over());
  CHECK(scene.session.outbox().empty());
}

TEST_CASE(
    "observer session: an evaluation out of turn is dropped, so nobody can make it keep more and more") {
  Scene scene;
  scene.start();
  scene.session.outbox().clear();
  for (const std::uint64_t iteration : {0u, 3u, 10u, 1'000'000u}) scene.evaluation(0, iteration);
  scene.evaluation(0, 5);
  scene.evaluation(0, 5);
  scene.evaluation(0, 10);
  scene.evaluation(0, 15);  // two evaluations past the last verdict, and none of peer 1 yet
  scene.evaluation(1, 5);
  CHECK(scene.said_to(0) == Kinds{FrameKind::verdict});
  CHECK(scene.session.evaluations().size() == 2);
}

TEST_CASE("observer session: a hello that differs is refused with both values") {
  Scene scene;
  const auto other = quadratic_experiment<double>("dcd-psgd", "path", 2, 3);
  scene.say(1, FrameKind::hello, encode_agreement(agreement_of(other)));
  REQUIRE(scene.session.outbox().size() == 1);
  CHECK(scene.session.outbox()[0].header.kind == FrameKind::refuse);
  const std::string sentence = printable_text(scene.session.outbox()[0].payload);
  CHECK(sentence == "the observer runs with algorithm.kind = d-psgd, peer 1 with dcd-psgd");
}

TEST_CASE(
    "observer session: a peer that wants another number of iterations is refused with both, before the run") {
  Scene scene;
  scene.hello(0);
  for (const std::uint64_t iterations : {19u, 21u}) {
    scene.session.outbox().clear();
    scene.say(1, FrameKind::hello, encode_agreement(scene.agreement), iterations, 0, 1);
    REQUIRE(scene.session.outbox().size() == 1);
    CHECK(scene.session.outbox()[0].header.kind == FrameKind::refuse);
    CHECK(printable_text(scene.session.outbox()[0].payload) == "peer 0 runs 20 iterations, peer 1 " +
                                                                   std::to_string(iterations) +
                                                                   "; give both the same run.iterations");
  }
  scene.say(0, FrameKind::ready);
  scene.say(1, FrameKind::ready);
  CHECK_FALSE(scene.session.started());
}

TEST_CASE("observer session: whoever does not come up is named with its address, if that is known") {
  const auto experiment = two_peer_experiment();
  Observer<double> evaluator{experiment.problem, {}};
  ObserverSession session{observer_input(experiment, 10s, {"tcp://a:1", "tcp://b:2"}), evaluator, Instant{}};
  session.tick(Instant{} + 11s);
  const std::string reason = session.outcome().reason;
  CHECK_MESSAGE(reason.starts_with("peers 0 (tcp://a:1), 1 (tcp://b:2) did not come up within 10 s"), reason);
}

TEST_CASE("observer session: whoever does not come up is named, and all others are told") {
  Scene scene;
  scene.hello(0);
  scene.session.outbox().clear();
  scene.session.tick(begin + 9s);
  CHECK(!scene.session.over());
  scene.session.outbox().clear();
  scene.session.tick(begin + 11s);
  CHECK(scene.said_to(0) == Kinds{FrameKind::stop});
  scene.say(0, FrameKind::stop);
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::lost);
  CHECK(
      scene.session.outcome().reason ==
      "peer 1 did not come up within 10 s; expected hearsay peer FILE --id 1 on its host, and a port that is "
      "open: "
      "hearsay check FILE --connect tests it");
}

TEST_CASE("observer session: a peer that leaves with a reason ends the run everywhere with that reason") {
  Scene scene;
  scene.start();
  scene.session.outbox().clear();
  const std::string reason = "peer 1 was\x1b[31m lost";
  scene.say(0, FrameKind::stop, std::as_bytes(std::span(reason)));
  CHECK(scene.said_to(1) == Kinds{FrameKind::stop});
  CHECK(scene.session.outcome().status == RunStatus::lost);
  CHECK(scene.session.outcome().reason == "peer 1 was [31m lost");  // without the escape character
}

TEST_CASE(
    "observer session: a peer that falls silent is lost by its name, one that has ended may be silent") {
  Scene scene;
  scene.start();  // the last frames of both came at 1 s
  const auto listen = [&](Duration from, Duration until) {
    for (Duration at = from; at <= until; at += 100ms) scene.session.judge_silence(begin + at);
  };
  listen(1s, 7s);
  CHECK(!scene.session.over());
  scene.result(0);
  listen(7s, 8s);
  scene.say(0, FrameKind::stop);
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().reason == "peer 1 was lost: it has said nothing for 6 s");
}

TEST_CASE("observer session: an observer that stood still itself takes nobody for silent") {
  Scene scene;
  scene.start();
  for (Duration at = 1s; at <= 3s; at += 100ms) scene.session.judge_silence(begin + at);
  scene.session.judge_silence(begin + 1h);
  scene.session.judge_silence(begin + 1h + 2s);
  CHECK(!scene.session.over());
}

TEST_CASE(
    "observer session: the clock of a resumed run goes on from the evaluation at its checkpoint, which is "
    "made "
    "again") {
  RunRecord earlier;
  for (const auto& [iteration, seconds] :
       std::vector<std::pair<std::uint64_t, double>>{{0, 0.0}, {5, 2.0}, {10, 5.0}, {15, 8.0}}) {
    earlier.evaluations.emplace_back().iteration = iteration;
    earlier.evaluations.back().seconds = seconds;
  }
  Scene scene(earlier);
  const std::vector<std::byte> holds_10 = encode_numbers(std::vector<std::uint64_t>{10});
  for (const PeerId id : {0u, 1u}) scene.hello(id, 1);
  for (const PeerId id : {0u, 1u}) scene.say(id, FrameKind::holds, holds_10);
  for (const PeerId id : {0u, 1u}) scene.say(id, FrameKind::ready);
  REQUIRE(scene.session.started());
  const auto start = std::ranges::find(scene.session.outbox(), FrameKind::start,
                                       [](const ObserverFrame& word) { return word.header.kind; });
  REQUIRE(start != scene.session.outbox().end());
  CHECK(from_observer::as_start(start->header).age == 5s);
  // This machine has been up for a second only, and no frame says an instant before that.
  CHECK(start->header.due_ns >= 0);
}

TEST_CASE(
    "observer session: peers in the middle of a run greet an observer started anew: who comes back joins "
    "them") {
  Scene scene;
  scene.hello(0, 2);
  scene.hello(1, 1);
  scene.session.outbox().clear();
  std::vector<std::byte> iteration_7(8, std::byte{0});
  iteration_7[0] = std::byte{7};
  scene.say(1, FrameKind::holds, iteration_7);
  const auto& said = scene.session.outbox();
  REQUIRE(!said.empty());
  CHECK(said.back().header.kind == FrameKind::resume);
  CHECK(said.back().header.slot == 1);  // from its newest checkpoint and its log
}

TEST_CASE("observer session: a peer that says hello again has to be ready again") {
  Scene scene;
  for (const PeerId id : {0u, 1u}) scene.hello(id);
  scene.say(1, FrameKind::ready);
  scene.hello(1);
  scene.say(0, FrameKind::ready);
  CHECK(!scene.session.started());
  scene.say(1, FrameKind::ready);
  CHECK(scene.session.started());
}

TEST_CASE(
    "observer session: a peer interrupted before the run interrupts it, one with a wrong input refuses it") {
  const auto stop = [](Scene& scene, Slot exit_code) {
    for (const PeerId id : {0u, 1u}) scene.hello(id);
    FrameHeader header;
    header.kind = FrameKind::stop;
    header.sender = 1;
    header.slot = exit_code;
    header.run_id = run_id(scene.agreement);
    const std::string reason = "peer 1 has its reasons";
    scene.session.hear(header, std::as_bytes(std::span(reason)), begin + 2s);
    scene.say(0, FrameKind::stop);
    return scene.session.over();
  };
  Scene interrupted;
  CHECK(stop(interrupted, 130));
  CHECK(interrupted.session.outcome().status == RunStatus::interrupted);
  CHECK(interrupted.session.outcome().reason == "peer 1 has its reasons");
  const auto told = std::ranges::find_if(interrupted.session.outbox(), [](const ObserverFrame& frame) {
    return frame.to == 0 && frame.header.kind == FrameKind::stop;
  });
  REQUIRE(told != interrupted.session.outbox().end());
  CHECK(as_stop(told->header).exit_code == 130);
  CHECK(printable_text(told->payload) == "peer 1 has its reasons");
  Scene refused;
  CHECK(stop(refused, 2));
  CHECK(refused.session.lost_by_misuse());
  Scene lost;
  CHECK(stop(lost, 3));
  CHECK_FALSE(lost.session.lost_by_misuse());
}

TEST_CASE("observer session: an interrupted run waits some seconds for last words, no longer") {
  Scene scene;
  scene.start();
  scene.session.outbox().clear();
  scene.session.interrupt(begin + 2s);
  CHECK(scene.said_to(0) == Kinds{FrameKind::stop});
  scene.result(0);
  scene.session.tick(begin + 6s);
  CHECK(!scene.session.over());
  scene.session.tick(begin + 8s);
  CHECK(std::ranges::count(scene.said_to(0), FrameKind::bye) == 1);
  scene.answer_last_word();
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::interrupted);
}

TEST_CASE(
    "observer session: of a peer that was killed, and is not back when the run is to end, no last words are "
    "expected") {
  // Its new process says hello after the interruption, or before it but is not restored yet.
  for (const bool is_there : {false, true}) {
    CAPTURE(is_there);
    Scene scene;
    scene.start();
    for (const PeerId id : {0u, 1u}) scene.evaluation(id, 5);
    const auto come_back = [&] {
      scene.session.note_unreachable(1, 0);
      scene.say(1, FrameKind::hello, encode_agreement(scene.agreement), scene.experiment.iterations, 0, 1, 9);
      scene.session.note_unreachable(1, 0);
    };
    if (is_there) come_back();
    scene.session.interrupt(begin + 2s);
    scene.result(0);
    scene.answer_last_word();
    CHECK(scene.session.over() == is_there);
    scene.said_to(1);
    if (!is_there) {
      come_back();
      scene.answer_last_word();
      CHECK(scene.session.over());
    }
    const auto outcome = scene.session.outcome();
    CHECK(outcome.status == RunStatus::interrupted);
    CHECK(outcome.peers[1].iterations == 5);
    CHECK(outcome.peers[1].gone);
    CHECK(outcome.dropped.empty());
  }
}

TEST_CASE(
    "observer session: evaluations that the record has lost stay missing, and the run goes on behind them") {
  Evaluation at_the_start, at_five;
  at_five.iteration = 5;
  Scene scene(RunRecord{{at_the_start, at_five}});
  for (const PeerId id : {0u, 1u}) scene.hello(id, 2);
  for (const PeerId id : {0u, 1u}) {
    FrameHeader ready;
    ready.kind = FrameKind::ready;
    ready.sender = id;
    ready.run_id = run_id(scene.agreement);
    ready.sequence = id == 0 ? 11 : 16;  // peer 1 knows the verdict on iteration 15
    scene.session.hear(ready, {}, begin + 1s);
  }
  REQUIRE(scene.session.started());
  CHECK(scene.session.lost_evaluations() == std::pair<std::uint64_t, std::uint64_t>(5, 15));
  // The evaluation of peer 0 that comes next is older than the last verdict, and is ignored.
  CHECK(scene.session.outbox().back().header.iteration == 15);
  scene.evaluation(0, 15);
  for (const PeerId id : {0u, 1u}) scene.evaluation(id, 20);
  for (const PeerId id : {0u, 1u}) scene.result(id);
  scene.answer_last_word();
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::done);
  CHECK(scene.session.evaluations().back().iteration == 20);
  CHECK(scene.session.evaluations().size() == 3);
}

}  // namespace hearsay::test::observer_session_test
