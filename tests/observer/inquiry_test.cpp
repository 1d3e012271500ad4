#include <doctest/doctest.h>

#include "runtime/record/score_payload.hpp"
#include "runtime/wire/numbers.hpp"
#include "runtime/wire/words_to_observer.hpp"
#include "tests/observer/observer_scene.hpp"

namespace hearsay::test::inquiry_test {

using namespace std::chrono_literals;

namespace {

Experiment<double> two_peers_at_home() {
  auto experiment = two_peer_experiment();
  experiment.problem.at_home = true;
  return experiment;
}

/// An observer whose two peers have their data at home: 20 iterations, an evaluation every 5.
struct AtHome : ObserverScene {
  explicit AtHome(Experiment<double> of_run = two_peers_at_home()) : ObserverScene(std::move(of_run)) {}

  void answer(PeerId sender, std::uint64_t iteration, double loss) {
    say(sender, FrameKind::answer, encode_score({.loss = loss, .samples = 3}), iteration);
  }
  void alive(PeerId sender, const Beats& beats, std::vector<std::uint64_t> being_answered = {}) {
    FrameHeader header;
    put(to_observer::Alive{.contact = {0}, .last_verdict = {}, .beats = beats}, header);
    header.sender = sender;
    header.run_id = run_id(agreement);
    session.hear(header, encode_numbers(being_answered), now);
  }
  /// Returns how many questions were asked since the last call, and clears the outbox.
  int questions() {
    int asked = 0;
    for (const ObserverFrame& word : session.outbox()) asked += word.header.kind == FrameKind::question;
    session.outbox().clear();
    return asked;
  }
  /// Lets time pass until `beats` heartbeats are due; lost_after is 6 s, so one is 1.2 s.
  void pass(int beats) {
    for (int beat = 0; beat < beats; ++beat) session.tick(now += 1200ms);
  }
  Instant now = Instant{} + 1s;
};

}  // namespace

TEST_CASE("inquiry: each peer is asked for x_0 at the start, and the verdict waits for the last answer") {
  AtHome scene;
  scene.start();
  CHECK(scene.said_to(0) == Kinds{FrameKind::welcome, FrameKind::start, FrameKind::question});
  CHECK(scene.session.evaluations().empty());
  scene.answer(1, 0, 3.0);
  CHECK(scene.said_to(0).empty());
  scene.answer(0, 0, 1.0);
  CHECK(scene.said_to(0) == Kinds{FrameKind::verdict});
  REQUIRE(scene.session.evaluations().size() == 1);
  CHECK(scene.session.evaluations().front().loss == 2.0);
}

TEST_CASE("inquiry: an answer that comes twice, unasked or malformed changes nothing") {
  AtHome scene;
  scene.start();
  scene.answer(0, 5, 7.0);  // not asked yet
  scene.answer(0, 0, 1.0);
  scene.answer(0, 0, 100.0);
  scene.say(1, FrameKind::answer, std::vector<std::byte>(31), 0);
  CHECK(scene.session.evaluations().empty());
  scene.answer(1, 0, 3.0);
  scene.answer(1, 0, 100.0);
  REQUIRE(scene.session.evaluations().size() == 1);
  CHECK(scene.session.evaluations().front().loss == 2.0);
}

TEST_CASE("inquiry: an evaluation has no verdict before those of earlier ones, whoever answers first") {
  AtHome scene;
  scene.start();
  for (const PeerId id : {0u, 1u}) scene.evaluation(id, 5);
  scene.said_to(0);
  scene.answer(0, 5, 1.0);
  scene.answer(1, 5, 1.0);
  scene.answer(0, 0, 2.0);
  CHECK(scene.said_to(0).empty());
  scene.answer(1, 0, 2.0);
  CHECK(scene.said_to(0) == Kinds{FrameKind::verdict, FrameKind::verdict});
}

TEST_CASE("inquiry: a question that is on its way, or is being answered, is not asked again") {
  AtHome scene;
  scene.start();
  scene.answer(0, 0, 1.0);
  scene.said_to(1);
  scene.pass(100);
  CHECK(scene.questions() == 0);
  scene.alive(1, {.own = 1, .heard = 0});  // it has heard no heartbeat that followed the question
  CHECK(scene.questions() == 0);
  scene.alive(1, {.own = 2, .heard = 100}, {0});
  CHECK(scene.questions() == 0);
  scene.alive(0, {.own = 2, .heard = 100});  // it has answered
  CHECK(scene.questions() == 0);
}

TEST_CASE("inquiry: a question that is lost, or whose answer is lost, is asked again, once") {
  AtHome scene;
  scene.start();
  scene.answer(0, 0, 1.0);
  scene.pass(1);
  scene.said_to(1);
  scene.alive(1, {.own = 1, .heard = 1});
  CHECK(scene.questions() == 1);
  scene.alive(1, {.own = 2, .heard = 1});
  CHECK(scene.questions() == 0);
  scene.pass(1);
  scene.said_to(1);
  scene.alive(1, {.own = 3, .heard = 2});
  CHECK(scene.questions() == 1);
}

TEST_CASE("inquiry: the question on x_0 carries no model, that on a later one does") {
  AtHome scene;
  scene.start();
  const auto payload_of_question = [&]() -> std::size_t {
    for (const ObserverFrame& word : scene.session.outbox())
      if (word.header.kind == FrameKind::question) return word.payload.size();
    return 1'000'000;
  };
  CHECK(payload_of_question() == 0);
  scene.session.outbox().clear();
  for (const PeerId id : {0u, 1u}) scene.evaluation(id, 5);
  CHECK(payload_of_question() == 3 * sizeof(double));
}

TEST_CASE("inquiry: a peer that was started anew is asked what it had not answered") {
  AtHome scene;
  scene.start();
  scene.answer(0, 0, 1.0);
  scene.said_to(1);
  scene.hello(1, 2);
  CHECK(scene.said_to(1) == Kinds{FrameKind::welcome});
  scene.say(1, FrameKind::ready);
  CHECK(scene.said_to(1) == Kinds{FrameKind::start, FrameKind::question});
}

TEST_CASE("inquiry: a run does not end before its last question is answered") {
  AtHome scene;
  scene.start();
  for (const PeerId id : {0u, 1u}) scene.answer(id, 0, 1.0);
  for (const std::uint64_t iteration : {5u, 10u, 15u, 20u})
    for (const PeerId id : {0u, 1u}) scene.evaluation(id, iteration);
  for (const std::uint64_t iteration : {5u, 10u, 15u})
    for (const PeerId id : {0u, 1u}) scene.answer(id, iteration, 1.0);
  for (const PeerId id : {0u, 1u}) scene.result(id);
  CHECK(!scene.session.over());
  scene.answer(0, 20, 1.0);
  scene.answer(1, 20, 1.0);
  scene.answer_last_word();
  CHECK(scene.session.over());
  CHECK(scene.session.outcome().status == RunStatus::done);
  CHECK(scene.session.outcome().evaluations.size() == 5);
}

TEST_CASE("inquiry: a target is reached at x_0 if the answers say so") {
  auto experiment = two_peers_at_home();
  experiment.settings.run.target_loss = 2.5;
  Observer<double> observer(experiment.problem, experiment.settings.run, {}, Asks::the_peers);
  CHECK(!observer.begin());
  CHECK(observer.answer(0, 0, {.loss = 1.0}).empty());
  const auto verdicts = observer.answer(1, 0, {.loss = 3.0});
  REQUIRE(verdicts.size() == 1);
  CHECK(!verdicts.front().proceed);
}

TEST_CASE("inquiry: the sum of the answers is the pooled loss, to the last bit, and hits are summed") {
  const auto experiment = two_peers_at_home();
  Observer<double> observer(experiment.problem, {}, {}, Asks::the_peers);
  observer.begin();
  const Vector<double> x = experiment.problem.initial;
  for (const PeerId id : {1u, 0u}) {
    LocalScore score = experiment.problem.objectives[id]->score(x);
    score.judged = 10;
    score.hits = 3 + id;
    score.of_test_samples = true;
    observer.answer(id, 0, score);
  }
  REQUIRE(observer.evaluations().size() == 1);
  CHECK(observer.evaluations().front().loss == experiment.problem.loss(x));
  CHECK(observer.evaluations().front().accuracy == 7.0 / 20.0);
  const RunResult result = observer.conclude({});
  CHECK(result.judged == JudgedSamples{.are_test = true, .count = 20});
  CHECK(result.loss_samples == 2);
}

}  // namespace hearsay::test::inquiry_test
