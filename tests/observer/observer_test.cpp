#include "runtime/observer/observer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/experiments.hpp"

namespace hearsay::observer_test {

namespace {

PeerMeters meters_at(Duration now, std::uint64_t bytes_sent) {
  PeerMeters meters;
  meters.now = now;
  meters.bytes_sent = bytes_sent;
  return meters;
}

}  // namespace

TEST_CASE("observer: loss, consensus distance and totals are those of the models it was given") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 2, 3);
  Observer<double> observer(experiment.problem);
  CHECK(observer.begin()->proceed);
  const Vector<double> a = Vector<double>::Constant(3, 1.0);
  const Vector<double> b = Vector<double>::Constant(3, 4.0);
  CHECK(!observer.take(1, 5, b, meters_at(std::chrono::seconds(2), 10)));
  const auto verdict = observer.take(0, 5, a, meters_at(std::chrono::seconds(3), 7));
  REQUIRE(verdict);
  CHECK(verdict->evaluated == 5);
  CHECK(verdict->proceed);
  const Evaluation& evaluation = observer.evaluations().back();
  CHECK(evaluation.seconds == 3.0);
  CHECK(evaluation.bytes_sent == 17);
  CHECK(observer.mean_model() == Vector<double>::Constant(3, 2.5));
  CHECK(evaluation.loss == experiment.problem.loss(observer.mean_model()));
  CHECK(evaluation.consensus_distance == doctest::Approx(std::sqrt(3 * 1.5 * 1.5)).epsilon(1e-15));
}

TEST_CASE("observer: an evaluation is the same if the meters are forgotten after it") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 2, 3);
  Observer<double> keeping(experiment.problem);
  Observer<double> forgetting(experiment.problem);
  forgetting.forget_meters();
  for (Observer<double>* observer : {&keeping, &forgetting}) {
    observer->begin();
    for (const std::uint64_t iteration : {5u, 10u}) {
      observer->take(0, iteration, Vector<double>::Ones(3), meters_at(std::chrono::seconds(iteration), 7));
      observer->take(1, iteration, Vector<double>::Zero(3),
                     meters_at(std::chrono::seconds(3), 10 * iteration));
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    CHECK(forgetting.evaluations()[k].seconds == keeping.evaluations()[k].seconds);
    CHECK(forgetting.evaluations()[k].bytes_sent == keeping.evaluations()[k].bytes_sent);
  }
  CHECK(forgetting.evaluations().back().bytes_sent == 107);
  CHECK(keeping.last_meters().size() == 2);
  CHECK(forgetting.last_meters().empty());
}

TEST_CASE("observer: of up to 128 peers it says how far each is from the mean, and who is gone") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 3, 1);
  Observer<double> observer(experiment.problem);
  observer.begin();
  CHECK(observer.evaluations().front().distances.values == std::vector<double>(3, 0.0));
  observer.take(0, 5, Vector<double>::Constant(1, 1.0), {});
  observer.take(2, 5, Vector<double>::Constant(1, 5.0), {});
  REQUIRE(observer.drop(1).size() == 1);
  const PeerDistances& distances = observer.evaluations().back().distances;
  CHECK_FALSE(distances.ranked);
  REQUIRE(distances.values.size() == 3);
  CHECK(distances.values[0] == 2.0);
  CHECK(std::isnan(distances.values[1]));
  CHECK(distances.values[2] == 2.0);
}

TEST_CASE("observer: of more than 128 peers it keeps 128 distances, from the least to the greatest") {
  constexpr PeerId peers = 381;  // ranks are 380 / 127 distances apart
  const auto experiment = quadratic_experiment<double>("d-psgd", "ring", peers, 1);
  Observer<double> observer(experiment.problem);
  observer.begin();
  // The models are -380, -378, ..., 380, in an order of their own; their mean is 0.
  for (PeerId peer = 0; peer < peers; ++peer)
    observer.take(peer, 5, Vector<double>::Constant(1, 2.0 * (peer * 200 % peers) - 380.0), {});
  const PeerDistances& distances = observer.evaluations().back().distances;
  CHECK(observer.mean_model()[0] == 0.0);
  CHECK(distances.ranked);
  REQUIRE(distances.values.size() == 128);
  CHECK(std::ranges::is_sorted(distances.values));
  CHECK(distances.values.front() == 0.0);
  CHECK(distances.values.back() == 380.0);
}

TEST_CASE("observer: peers that claim to have computed for 292 years overflow nothing") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 2, 3);
  Observer<double> observer(experiment.problem);
  observer.begin();
  PeerMeters meters;
  meters.compute = meters.wait = meters.wire = Duration::max();
  CHECK(!observer.take(0, 5, experiment.problem.initial, meters));
  REQUIRE(observer.take(1, 5, experiment.problem.initial, meters));
  const Evaluation& evaluation = observer.evaluations().back();
  CHECK(evaluation.compute_seconds == seconds(Duration::max()));
  CHECK(evaluation.wait_seconds == seconds(Duration::max()));
  CHECK(evaluation.wire_seconds == seconds(Duration::max()));
}

TEST_CASE("observer: peers may be an evaluation apart") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 2, 3);
  Observer<double> observer(experiment.problem);
  observer.begin();
  const Vector<double> x = experiment.problem.initial;
  CHECK(!observer.take(0, 5, x, {}));
  CHECK(!observer.take(0, 10, x, {}));
  CHECK(observer.take(1, 5, x, {})->evaluated == 5);
  CHECK(observer.take(1, 10, x, {})->evaluated == 10);
}

TEST_CASE("observer: the target stops the run once, and is the first evaluation that reaches it") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  Observer<double> observer(experiment.problem,
                            {.target_loss = experiment.problem.loss(*experiment.problem.minimiser) + 1e-9});
  CHECK(observer.begin()->proceed);
  CHECK(!observer.take(0, 5, *experiment.problem.minimiser, {})->proceed);
  CHECK(!observer.take(0, 10, experiment.problem.initial, {})->proceed);
  const RunResult result = observer.conclude({PeerOutcome{}});
  CHECK(result.status == RunStatus::target);
  REQUIRE(result.target);
  CHECK(result.target->iteration == 5);
}

TEST_CASE("observer: a loss that is not finite is a divergence, never a target") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  Observer<double> observer(experiment.problem, {.target_loss = 1e300});
  observer.begin();
  Vector<double> broken = experiment.problem.initial;
  broken[1] = std::nan("");
  CHECK(!observer.take(0, 5, broken, {})->proceed);
  const auto outcome = observer.conclude({PeerOutcome{}});
  CHECK(outcome.status == RunStatus::diverged);
  CHECK(outcome.reason == "the loss left the finite range by iteration 5");
}

TEST_CASE("observer: a loss a million times its first value has diverged, though it be a number") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  Observer<double> observer(experiment.problem);
  observer.begin();
  const Vector<double> far = Vector<double>::Constant(3, 1e2);
  const Vector<double> beyond = Vector<double>::Constant(3, 1e6);
  CHECK(observer.take(0, 5, far, {})->proceed);
  CHECK(observer.conclude({PeerOutcome{}}).status == RunStatus::done);
  CHECK(!observer.take(0, 10, beyond, {})->proceed);
  const auto outcome = observer.conclude({PeerOutcome{}});
  CHECK(outcome.status == RunStatus::diverged);
  CHECK(outcome.reason == "the loss grew to more than a million times its first value by iteration 10");
  // Back again is no excuse.
  CHECK(!observer.take(0, 15, experiment.problem.initial, {})->proceed);
}

TEST_CASE("observer: a run that begins at the answer may leave it") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  Observer<double> observer(experiment.problem);
  Evaluation at_the_answer;
  at_the_answer.loss = 1e-30;
  Evaluation later;
  later.iteration = 5;
  later.loss = 1e-3;
  for (const Verdict& verdict : observer.resume({at_the_answer, later}, {})) CHECK(verdict.proceed);
}

TEST_CASE("observer: of several peers that diverged, the earliest is named") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 3, 3);
  Observer<double> observer(experiment.problem);
  observer.begin();
  std::vector<PeerOutcome> peers(3);
  peers[0].divergence = Divergence{9, "the model left the finite range"};
  peers[2].divergence = Divergence{8, "the model left the finite range"};
  CHECK(observer.conclude(peers).reason == "the model left the finite range (peer 2, iteration 8)");
}

TEST_CASE("observer: what a peer has done stays done when it is gone") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 2, 3);
  Observer<double> observer(experiment.problem);
  observer.begin();
  const Vector<double> x = experiment.problem.initial;
  CHECK(!observer.take(0, 5, x, meters_at(std::chrono::seconds(2), 10)));
  CHECK(observer.take(1, 5, x, meters_at(std::chrono::seconds(2), 7)));
  CHECK(!observer.take(1, 10, x, meters_at(std::chrono::seconds(4), 14)));
  CHECK(observer.drop(1).empty());
  CHECK(observer.take(0, 10, Vector<double>::Constant(3, 1.0), meters_at(std::chrono::seconds(3), 20)));
  CHECK(observer.evaluations().back().bytes_sent == 34);
  CHECK(observer.mean_model() == Vector<double>::Constant(3, 1.0));
}

TEST_CASE("observer: a peer that comes back while others are waited for is waited for, too") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 3, 3);
  Observer<double> observer(experiment.problem);
  observer.begin();
  const Vector<double> x = experiment.problem.initial;
  CHECK(observer.drop(1).empty());
  CHECK(!observer.take(0, 10, x, {}));
  observer.take_back(1, 10);
  CHECK(!observer.take(2, 10, x, {}));
  CHECK(observer.take(1, 10, x, {}));
}

TEST_CASE("observer: a record twice as long holds 512 more lines of the peers' distances, evenly spaced") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  Observer<double> observer(experiment.problem);
  observer.begin();
  std::vector<std::uint64_t> kept_of = {0};
  for (std::uint64_t iteration = 1; iteration < 4096; ++iteration) {
    observer.take(0, iteration, experiment.problem.initial, {});
    if (!observer.evaluations().back().distances.values.empty()) kept_of.push_back(iteration);
  }
  CHECK(kept_of.size() == 1024 + 512 + 512);
  CHECK(kept_of[1023] == 1023);
  CHECK(kept_of[1025] == 1026);
  CHECK(kept_of.back() == 4092);
}

TEST_CASE("observer: an evaluation that only peers that are gone have sent is none") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 3, 3);
  Observer<double> observer(experiment.problem);
  observer.begin();
  const Vector<double> x = experiment.problem.initial;
  CHECK(observer.drop(2).empty());
  observer.take_back(2, 10);  // ahead of the others
  CHECK(!observer.take(0, 5, x, {}));
  CHECK(observer.drop(0).empty());
  CHECK(observer.drop(1).empty());
  REQUIRE(observer.take(2, 10, x, {}));
  CHECK(observer.evaluations().size() == 2);
  CHECK(observer.evaluations().back().iteration == 10);
}

TEST_CASE(
    "observer: the worst peer's loss and the spread are of the peers' own models, in the order of ids") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 3, 3);
  Observer<double> observer(experiment.problem, {.evaluate = RunSettings::Run::Evaluate::peers});
  observer.begin();
  REQUIRE(observer.evaluations().back().loss_spread);
  CHECK(*observer.evaluations().back().loss_worst == experiment.problem.loss(experiment.problem.initial));
  CHECK(*observer.evaluations().back().loss_spread == 0.0);

  const std::vector<Vector<double>> models = {Vector<double>::Constant(3, 1.0), *experiment.problem.minimiser,
                                              Vector<double>::Constant(3, -9.0)};
  for (PeerId id = 0; id < 3; ++id) observer.take(id, 5, models[id], {});
  const Evaluation& evaluation = observer.evaluations().back();
  CHECK(evaluation.loss_worst == experiment.problem.loss(models[2]));
  CHECK(evaluation.loss_spread == experiment.problem.loss(models[2]) - experiment.problem.loss(models[1]));

  // A peer that is gone has no model.
  CHECK(observer.drop(2).empty());
  observer.take(0, 10, models[0], {});
  observer.take(1, 10, models[1], {});
  CHECK(observer.evaluations().back().loss_worst == experiment.problem.loss(models[0]));
}

TEST_CASE("observer: unless the run asks for it, no peer's own model is evaluated") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  Observer<double> observer(experiment.problem);
  observer.begin();
  CHECK_FALSE(observer.evaluations().back().loss_worst);
  CHECK_FALSE(observer.evaluations().back().loss_spread);
}

TEST_CASE(
    "observer: the best model is the one of the least loss, and a later equal one does not replace it") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  Observer<double> observer(experiment.problem, {.keep = RunSettings::Run::Keep::best});
  observer.begin();
  const Vector<double> far = Vector<double>::Constant(3, 50.0);
  observer.take(0, 5, *experiment.problem.minimiser, {});
  observer.take(0, 10, far, {});
  observer.take(0, 15, *experiment.problem.minimiser, {});
  observer.take(0, 20, far, {});
  const RunOutcome<double> outcome = observer.with_models(observer.conclude({PeerOutcome{}}));
  REQUIRE(outcome.best);
  CHECK(outcome.best->iteration == 5);
  CHECK(outcome.kept_model() == *experiment.problem.minimiser);
  CHECK(outcome.mean_model == far);
}

TEST_CASE("observer: a run that diverges keeps the best model from before") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  Observer<double> observer(experiment.problem, {.keep = RunSettings::Run::Keep::best});
  observer.begin();
  observer.take(0, 5, *experiment.problem.minimiser, {});
  observer.take(0, 10, Vector<double>::Constant(3, std::nan("")), {});
  const RunOutcome<double> outcome = observer.with_models(observer.conclude({PeerOutcome{}}));
  CHECK(outcome.status == RunStatus::diverged);
  CHECK(outcome.kept_model() == *experiment.problem.minimiser);
}

TEST_CASE("observer: a model that has diverged is not the best, however many samples it gets right") {
  auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  experiment.problem.accuracy = [](const Vector<double>& x) { return x(0) > 1e6 ? 1.0 : 0.5; };
  experiment.problem.judged = {.are_test = true, .count = 10};
  Observer<double> observer(experiment.problem, {.keep = RunSettings::Run::Keep::best});
  observer.begin();
  observer.take(0, 5, Vector<double>::Constant(3, 1e30), {});
  const RunOutcome<double> outcome = observer.with_models(observer.conclude({PeerOutcome{}}));
  CHECK(outcome.status == RunStatus::diverged);
  CHECK(outcome.kept_model() == experiment.problem.initial);
}

TEST_CASE("observer: a resumed run still has the best model that the earlier one kept") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  const RunSettings::Run rules{.keep = RunSettings::Run::Keep::best};
  Observer<double> earlier(experiment.problem, rules);
  earlier.begin();
  earlier.take(0, 5, *experiment.problem.minimiser, {});
  REQUIRE(earlier.best_iteration() == 5);

  Observer<double> observer(experiment.problem, rules);
  observer.resume(earlier.evaluations(), earlier.best());
  CHECK(observer.best_iteration() == 5);
  observer.take(0, 10, Vector<double>::Constant(3, 1.0), {});
  CHECK(observer.with_models(observer.conclude({PeerOutcome{}})).kept_model() ==
        *experiment.problem.minimiser);

  // Without it, x_0 is the only earlier model that is known.
  Observer<double> bereft(experiment.problem, rules);
  bereft.resume(earlier.evaluations(), {});
  CHECK(bereft.best_iteration() == 0);
  CHECK(bereft.with_models(bereft.conclude({PeerOutcome{}})).kept_model() == experiment.problem.initial);
}

}  // namespace hearsay::observer_test
