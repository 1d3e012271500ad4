#include "runtime/observer/run_judge.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <vector>

namespace hearsay::run_judge_test {

namespace {

Evaluation evaluation_of(std::uint64_t iteration, double loss, std::optional<double> accuracy = {}) {
  Evaluation evaluation;
  evaluation.iteration = iteration;
  evaluation.loss = loss;
  evaluation.accuracy = accuracy;
  return evaluation;
}

/// Returns the iteration after whose evaluation the run does not go on, if there is one. Evaluation k is of
/// iteration 10 k.
std::optional<std::uint64_t> ends_at(RunJudge& judge, const std::vector<double>& losses) {
  for (std::size_t k = 0; k < losses.size(); ++k)
    if (!judge.proceeds_after(evaluation_of(10 * k, losses[k]))) return 10 * k;
  return std::nullopt;
}

}  // namespace

TEST_CASE("run judge: a run ends once as many evaluations as run.patience says are no better in a row") {
  RunJudge judge({.patience = 3}, BestBy::loss);
  CHECK(ends_at(judge, {5.0, 4.0, 4.0, 4.5, 3.9, 3.9, 4.0, 3.95, 1.0}) == 70);
  // The verdict takes effect one evaluation later, and a better one then does not change why the run ends.
  CHECK_FALSE(judge.proceeds_after(evaluation_of(80, 1.0)));
  RunResult result;
  judge.conclude(result);
  CHECK(result.status == RunStatus::plateau);
  CHECK(result.reason == "the loss got no better in 3 evaluations after iteration 40");
}

TEST_CASE("run judge: a run whose loss falls, however slowly, goes on unless it is to fall by a share") {
  const std::vector<double> slow = {1.0, 0.999, 0.998, 0.997, 0.996, 0.995};
  RunJudge any({.patience = 2}, BestBy::loss);
  CHECK_FALSE(ends_at(any, slow));
  RunJudge by_a_share({.patience = 2, .min_improvement = 0.01}, BestBy::loss);
  CHECK(ends_at(by_a_share, slow) == 20);
  // The share is of the last loss that was better, so small steps add up.
  RunJudge patient({.patience = 4, .min_improvement = 0.0025}, BestBy::loss);
  CHECK_FALSE(ends_at(patient, slow));
}

TEST_CASE("run judge: without run.patience no plateau ends the run") {
  RunJudge judge({}, BestBy::loss);
  CHECK_FALSE(ends_at(judge, std::vector<double>(100, 1.0)));
  RunResult result;
  judge.conclude(result);
  CHECK(result.status == RunStatus::done);
}

TEST_CASE("run judge: losses below 0 improve when they fall") {
  RunJudge judge({.patience = 2, .min_improvement = 0.1}, BestBy::loss);
  CHECK(ends_at(judge, {-1.0, -1.2, -1.4, -1.5, -1.51, -1.5}) == 40);
}

TEST_CASE("run judge: a target that is reached while the run ends at a plateau is a target") {
  RunJudge judge({.target_loss = 1.0, .patience = 1}, BestBy::loss);
  CHECK(ends_at(judge, {2.0, 2.0}) == 10);
  CHECK_FALSE(judge.proceeds_after(evaluation_of(20, 0.5)));
  RunResult result;
  judge.conclude(result);
  CHECK(result.status == RunStatus::target);
  CHECK(result.reason.empty());
}

TEST_CASE("run judge: with test data, the higher accuracy is better, and of equal ones the lower loss") {
  RunJudge judge({.patience = 2}, BestBy::accuracy);
  const Evaluation first = evaluation_of(0, 2.0, 0.5);
  const Evaluation accurate = evaluation_of(10, 3.0, 0.6);
  const Evaluation as_accurate = evaluation_of(20, 1.0, 0.6);
  CHECK(judge.is_better(accurate, first));
  CHECK(judge.is_better(as_accurate, accurate));
  CHECK_FALSE(judge.is_better(first, as_accurate));
  CHECK_FALSE(judge.is_better(accurate, accurate));
  // Patience counts the accuracy alone: a falling loss does not keep a run going.
  CHECK(judge.proceeds_after(first));
  CHECK(judge.proceeds_after(accurate));
  CHECK(judge.proceeds_after(as_accurate));
  CHECK_FALSE(judge.proceeds_after(evaluation_of(30, 0.5, 0.6)));
  RunResult result;
  judge.conclude(result);
  CHECK(result.reason == "the accuracy got no better in 2 evaluations after iteration 10");
}

}  // namespace hearsay::run_judge_test
