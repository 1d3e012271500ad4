#include "runtime/observer/evaluation_period.hpp"

#include <doctest/doctest.h>

#include <array>
#include <utility>
#include <vector>

#include "runtime/wire/words_from_observer.hpp"
#include "runtime/wire/words_to_observer.hpp"
#include "tests/observer/observer_scene.hpp"

namespace hearsay::test::evaluation_period_test {

using namespace std::chrono_literals;

namespace {

std::vector<Evaluation> judged(const std::vector<std::pair<std::uint64_t, double>>& times) {
  std::vector<Evaluation> evaluations;
  for (const auto& [iteration, seconds] : times) {
    evaluations.emplace_back();
    evaluations.back().iteration = iteration;
    evaluations.back().seconds = seconds;
  }
  return evaluations;
}

Experiment<double> evaluated_by_time() {
  Experiment<double> experiment = two_peer_experiment();
  experiment.settings.run.evaluate_every = 1;
  experiment.settings.run.evaluate_period = 30s;
  return experiment;
}

using Next = std::array<std::uint64_t, 2>;

}  // namespace

TEST_CASE(
    "evaluation period: the second is as many iterations off as it lasts, by the last two evaluations") {
  CHECK(next_evaluations(30s, judged({{0, 0.0}, {100, 10.0}, {200, 20.0}})) == Next{500, 800});
  CHECK(next_evaluations(30s, judged({{0, 0.0}, {100, 10.0}, {200, 60.0}})) == Next{500, 560});
  CHECK(next_evaluations(30s, judged({{0, 0.0}, {100, 10.0}, {200, 4000.0}})) == Next{500, 501});
}

TEST_CASE(
    "evaluation period: a fast start puts no evaluation further off than four times the last distance") {
  CHECK(next_evaluations(30s, judged({})) == Next{1, 2});
  CHECK(next_evaluations(30s, judged({{0, 0.0}})) == Next{1, 2});
  CHECK(next_evaluations(30s, judged({{0, 0.0}, {1, 1e-6}})) == Next{2, 6});
  CHECK(next_evaluations(30s, judged({{0, 0.0}, {1, 0.0}, {2, 0.0}})) == Next{6, 10});
  const Next far = next_evaluations(30s, judged({{0, 0.0}, {1, 0.0}, {2'000'000'000, 1e-9}}));
  CHECK(far[1] - far[0] == 4'294'967'295u);
}

TEST_CASE("evaluation period: a clock that stands before that of the record leaves the distance as it was") {
  const Next next = next_evaluations(30s, judged({{0, 0.0}, {100, 10.0}, {140, 5.0}}));
  CHECK(next[1] - next[0] == 40);
}

TEST_CASE(
    "evaluation period: each verdict says what the record up to its evaluation says, when repeated, too") {
  ObserverScene scene(evaluated_by_time());
  std::vector<std::uint64_t> announced;
  const auto listen = [&] {
    for (const ObserverFrame& word : scene.session.outbox())
      if (word.to == 1 && word.header.kind == FrameKind::verdict)
        announced.push_back(from_observer::as_verdict(word.header).announced.to_second);
    scene.session.outbox().clear();
  };
  scene.start();
  listen();
  for (const std::uint64_t iteration : {1, 2, 6}) {
    for (const PeerId id : {0u, 1u}) scene.evaluation(id, iteration);
    listen();
  }
  // The meters of this scene stand at 0 seconds, so iterations seem to take no time.
  CHECK(announced == std::vector<std::uint64_t>{1, 4, 4, 16});
  for (const std::uint64_t iteration : {7, 11, 20}) scene.evaluation(0, iteration);  // out of turn
  scene.evaluation(1, 10);
  scene.evaluation(0, 10);
  listen();
  CHECK(announced.size() == 5);
  announced.clear();
  scene.hello(1, 1);
  scene.say(1, FrameKind::ready);
  listen();
  CHECK(announced == std::vector<std::uint64_t>{4, 4, 16, 16});
}

TEST_CASE(
    "evaluation period: a record that has lost its end is refused, since only it tells the evaluations") {
  ObserverScene scene(evaluated_by_time());
  for (const PeerId id : {0u, 1u}) scene.hello(id, 2);
  FrameHeader ready;
  put(to_observer::Ready{.last_verdict = 5}, ready);
  for (const PeerId id : {0u, 1u}) {
    ready.sender = id;
    ready.run_id = run_id(scene.agreement);
    scene.session.hear(ready, {}, Instant{} + 1s);
  }
  CHECK(scene.session.outcome().status == RunStatus::lost);
  CHECK(scene.session.outcome().reason.find("the record ends with the evaluation of iteration 0, ") == 0);
}

}  // namespace hearsay::test::evaluation_period_test
