#include "runtime/observer/observer.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/experiments.hpp"

using namespace hearsay;

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
  Observer<double> observer(experiment.problem, std::nullopt);
  CHECK(observer.begin().proceed);
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

TEST_CASE("observer: of up to 128 peers it says how far each is from the mean, and who is gone") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 3, 1);
  Observer<double> observer(experiment.problem, std::nullopt);
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
  Observer<double> observer(experiment.problem, std::nullopt);
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
  Observer<double> observer(experiment.problem, std::nullopt);
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
  Observer<double> observer(experiment.problem, std::nullopt);
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
                            experiment.problem.loss(*experiment.problem.minimiser) + 1e-9);
  CHECK(observer.begin().proceed);
  CHECK(!observer.take(0, 5, *experiment.problem.minimiser, {})->proceed);
  CHECK(!observer.take(0, 10, experiment.problem.initial, {})->proceed);
  REQUIRE(observer.target());
  CHECK(observer.target()->iteration == 5);
  CHECK(observer.conclude({PeerOutcome{}}).status == RunStatus::target);
}

TEST_CASE("observer: a loss that is not finite is a divergence, never a target") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 1, 3);
  Observer<double> observer(experiment.problem, 1e300);
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
  Observer<double> observer(experiment.problem, std::nullopt);
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
  Observer<double> observer(experiment.problem, std::nullopt);
  Evaluation at_the_answer;
  at_the_answer.loss = 1e-30;
  Evaluation later;
  later.iteration = 5;
  later.loss = 1e-3;
  for (const Verdict& verdict : observer.resume({at_the_answer, later})) CHECK(verdict.proceed);
}

TEST_CASE("observer: of several peers that diverged, the earliest is named") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 3, 3);
  Observer<double> observer(experiment.problem, std::nullopt);
  observer.begin();
  std::vector<PeerOutcome> peers(3);
  peers[0].divergence = Divergence{9, "the model left the finite range"};
  peers[2].divergence = Divergence{8, "the model left the finite range"};
  CHECK(observer.conclude(peers).reason == "the model left the finite range (peer 2, iteration 8)");
}

TEST_CASE("observer: what a peer has done stays done when it is gone") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 2, 3);
  Observer<double> observer(experiment.problem, std::nullopt);
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
  Observer<double> observer(experiment.problem, std::nullopt);
  observer.begin();
  const Vector<double> x = experiment.problem.initial;
  CHECK(observer.drop(1).empty());
  CHECK(!observer.take(0, 10, x, {}));
  observer.take_back(1, 10);
  CHECK(!observer.take(2, 10, x, {}));
  CHECK(observer.take(1, 10, x, {}));
}

TEST_CASE("observer: an evaluation that only peers that are gone have sent is none") {
  const auto experiment = quadratic_experiment<double>("d-psgd", "path", 3, 3);
  Observer<double> observer(experiment.problem, std::nullopt);
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
