#include "runtime/observer/loss_range.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "runtime/observer/observer.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::test::loss_range_test {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Experiment<double> three_at_home(std::optional<double> least) {
  auto experiment = quadratic_experiment<double>("d-psgd", "ring", 3, 4);
  experiment.problem.at_home = true;
  experiment.problem.least_loss = least;
  return experiment;
}

/// The observer of three peers with their data at home, whose loss has this least value.
struct Home {
  explicit Home(std::optional<double> least) : experiment(three_at_home(least)) { observer.begin(); }
  /// The peers answer the question on an evaluation; true if the run goes on.
  bool answer(std::uint64_t iteration, const std::vector<double>& losses) {
    if (iteration > 0)
      for (PeerId id = 0; id < 3; ++id) observer.take(id, iteration, experiment.problem.initial, {});
    std::vector<Verdict> verdicts;
    for (PeerId id = 0; id < 3; ++id)
      verdicts = observer.answer(id, iteration, {.loss = losses[id], .samples = 1});
    REQUIRE(verdicts.size() == 1);
    return verdicts.front().proceed;
  }
  RunResult result() const { return observer.conclude({PeerOutcome{}, PeerOutcome{}, PeerOutcome{}}); }

  Experiment<double> experiment;
  Observer<double> observer{
      experiment.problem, {.target_loss = 0.1, .keep = RunSettings::Run::Keep::best}, {}, Asks::the_peers};
};

}  // namespace

TEST_CASE("loss range: one peer's impossible loss reaches no target, and is named with peer and iteration") {
  Home home(0.0);
  CHECK(home.answer(0, {2.0, 3.0, 4.0}));
  CHECK_FALSE(home.answer(10, {2.0, 2.0, -1e9}));
  const RunResult result = home.result();
  CHECK(result.status == RunStatus::diverged);
  CHECK_FALSE(result.target);
  CHECK(result.reason ==
        "the loss that peer 2 computes by iteration 10 is -1e+09, and a loss of this model is never below 0");
  CHECK(std::isnan(home.observer.evaluations().back().loss));
  REQUIRE(result.best);
  CHECK(result.best->iteration == 0);
}

TEST_CASE(
    "loss range: of a loss without a known least value, one peer's is refused once it is a million times "
    "below zero") {
  for (const std::uint64_t when : {0, 10}) {
    Home home(std::nullopt);
    if (when > 0) CHECK(home.answer(0, {2.0, -3.0, 4.0}));
    CHECK_FALSE(home.answer(when, {-1e9, 2.0, -3.0}));
    CHECK(home.result().status == RunStatus::diverged);
    CHECK(home.result().reason == "the loss that peer 0 computes by iteration " + std::to_string(when) +
                                      " is -1e+09, below zero by more than a million times its first value");
  }
}

TEST_CASE("loss range: a program's loss may be negative, and reaches its target there") {
  Home home(std::nullopt);
  CHECK(home.answer(0, {2.0, 3.0, 4.0}));
  CHECK_FALSE(home.answer(10, {-200.0, -2000.0, -2e6}));
  CHECK(home.result().status == RunStatus::target);
}

TEST_CASE(
    "loss range: of built-in models, what rounding leaves of 0 is a loss, and a hub without data tells "
    "none") {
  LossRange range(0.0);
  range.note_first({LocalScore{.loss = 2.0}, std::nullopt});
  for (const double loss : {0.0, -1e-12, 1e300}) CHECK(range.defect_of(loss).empty());
  CHECK(range.defect_of(-1e-5) == "is -1e-05, and a loss of this model is never below 0");
  CHECK(range.defect_of(-infinity) == "is infinite");
  CHECK(range.defect_of(std::nan("")) == "is no number");
  LossRange lopsided({});
  lopsided.note_first({LocalScore{.loss = 1e9, .has_data = false}, LocalScore{.loss = 5.0}});
  CHECK_FALSE(lopsided.defect_of(-5.1e6).empty());
  CHECK(lopsided.defect_of(-4.9e6).empty());
  lopsided.note_first(10.0);  // the record of a resumed run
  CHECK(lopsided.defect_of(-9e6).empty());
}

}  // namespace hearsay::test::loss_range_test
