#include "algorithms/dpsvrg.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "runtime/observer.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/lone_host.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

constexpr Index dimension = 9;
constexpr double eta = 0.125;

MethodOptions with_estimator(const std::string& estimator) {
  MethodOptions options = dpsvrg_info().options;
  options.estimator = estimator;
  options.inner_length = 1'000'000;  // no snapshot but the first
  return options;
}

/// v of a lone peer in the last of some iterations: the first ones on samples 5, 2, 5, 0, the last on `minibatch`; and
/// the gradient in full at the same point.
template <class Scalar>
std::pair<Vector<Scalar>, Vector<Scalar>> estimate(const std::string& estimator,
                                                   std::size_t iterations_before,
                                                   const std::vector<Index>& minibatch) {
  const Problem<Scalar> problem = regression_problem<Scalar>(dimension, 1);
  const Objective<Scalar>& objective = *problem.objectives.front();
  const auto none = make_regularizer<Scalar>("none", objective.segments());
  const SegmentTable segments = objective.segments();
  Dpsvrg<Scalar> method(MethodInput<Scalar>{.initial = problem.initial,
                                            .neighbors = {},
                                            .segments = segments,
                                            .options = with_estimator(estimator),
                                            .regularizer = none.get()});
  LoneHost<Scalar> host(objective, 7);
  const Index before[] = {5, 2, 5, 0};
  std::uint64_t number = 0;
  while (number < iterations_before) {
    host.run(method, number + 1, eta, {before[number]});
    ++number;
  }
  const Vector<Scalar> x = method.model();
  host.run(method, number + 1, eta, minibatch);
  Vector<Scalar> full(dimension);
  std::vector<Index> all(static_cast<std::size_t>(objective.sample_count()));
  std::iota(all.begin(), all.end(), Index{0});
  objective.gradient(x, all, full);
  return {(x - method.model()) / static_cast<Scalar>(eta), full};
}

}  // namespace

TEST_CASE("dpsvrg: averaged over all samples, every estimator is the full local gradient") {
  for (const char* estimator : {"svrg", "loopless-svrg", "saga"}) {
    CAPTURE(std::string(estimator));
    Vector<double> mean = Vector<double>::Zero(dimension);
    Vector<double> full;
    double spread = 0.0;
    for (Index sample = 0; sample < 8; ++sample) {
      const auto [v, gradient] = estimate<double>(estimator, 4, {sample});
      full = gradient;
      mean += v / 8.0;
      spread = std::max(spread, (v - gradient).norm());
    }
    CHECK((mean - full).cwiseAbs().maxCoeff() < 1e-13);
    CHECK(spread > 1e-3);  // a single one is not
  }
}

TEST_CASE("dpsvrg: a sample that a minibatch holds twice counts twice") {
  for (const char* estimator : {"svrg", "saga"}) {
    CAPTURE(std::string(estimator));
    const auto once = estimate<double>(estimator, 4, {3}).first;
    const auto other = estimate<double>(estimator, 4, {6}).first;
    const auto both = estimate<double>(estimator, 4, {3, 6, 3}).first;
    CHECK((both - (2.0 * once + other) / 3.0).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE(
    "dpsvrg: where x is the snapshot the estimate is the full gradient, bit for bit, whatever the sample") {
  const auto expected = estimate<float>("svrg", 0, {0}).first;
  for (Index sample = 1; sample < 8; ++sample) CHECK(estimate<float>("svrg", 0, {sample}).first == expected);
}

TEST_CASE("dpsvrg: with as many rounds as a hypercube has dimensions it is centralized proximal SVRG") {
  const World world{"hypercube", 8, "metropolis", "hypercube-matchings"};
  const Plan plan{.iterations = 30,
                  .options = {.inner_length = 4, .inner_growth = 1.0, .consensus = "3"},
                  .regularizer = "l1(0.2)"};
  const auto experiment = quadratics_in<double>(world, "dpsvrg", plan);
  const auto recording = record_run(experiment);
  // A quadratic is one sample, so the estimate is the gradient: centralized, this is proximal gradient descent.
  Vector<double> x = experiment.problem.initial;
  for (std::size_t t = 0; t < recording.size(); ++t) {
    for (const PeerRecord<double>& peer : recording[t]) CHECK((peer.model - x).cwiseAbs().maxCoeff() < 1e-13);
    Vector<double> gradient(x.size());
    Vector<double> mean = Vector<double>::Zero(x.size());
    const Index sample = 0;
    for (const auto& objective : experiment.problem.objectives) {
      objective->gradient(x, {&sample, 1}, gradient);
      mean += gradient / 8.0;
    }
    x -= plan.step_size * mean;
    experiment.problem.regularizer->prox(plan.step_size, x);
  }
}

TEST_CASE("dpsvrg: zeros of the proximal map are exact zeros at every peer; mixed afterwards they are not") {
  const auto zeros = [](const std::string& order) {
    const auto experiment =
        quadratics_in<float>({"ring", 8}, "dpsvrg",
                             {.iterations = 60, .options = {.prox_order = order}, .regularizer = "l1(0.5)"});
    Index count = 0;
    const auto end = record_run(experiment).back();
    for (const auto& peer : end) count += (peer.model.array() == 0.0f).count();
    return count;
  };
  CHECK(zeros("mix-then-prox") > 0);
  CHECK(zeros("prox-then-mix") < zeros("mix-then-prox"));
}

TEST_CASE("dpsvrg: Chebyshev's rounds keep the mean, and leave less disagreement than plain ones") {
  const auto run = [](const std::string& gossip) {
    return record_run(
               quadratics_in<double>({"ring", 16}, "dpsvrg",
                                     {.iterations = 40, .options = {.consensus = "8", .gossip = gossip}}))
        .back();
  };
  const auto plain = run("plain");
  const auto chebyshev = run("chebyshev");
  const auto disagreement = [](const auto& peers) {
    const Models<double> models = models_of(peers);
    return consensus_distance(models, mean_of(models));
  };
  CHECK(disagreement(chebyshev) < 0.5 * disagreement(plain));
}

TEST_CASE("dpsvrg: what its options cannot be is refused before anything starts") {
  const auto refusal = [](const World& world, MethodOptions options) {
    return misuse_text([&] { quadratics_in<double>(world, "dpsvrg", {.options = std::move(options)}); });
  };
  CHECK(refusal({"ring", 4}, {.consensus = "often"}).starts_with("algorithm.consensus = often: expected"));
  CHECK(refusal({"ring", 4}, {.estimator = "saga", .snapshot = "average"}) ==
        "algorithm.snapshot = average: saga has no epochs to average over; expected \"last\"");
  CHECK(refusal({"hypercube", 8, "metropolis", "hypercube-matchings"}, {.gossip = "chebyshev"})
            .starts_with("algorithm.gossip = chebyshev: it needs one symmetric mixing matrix"));
  CHECK(
      misuse_text([] {
        quadratics_in<double>({"ring", 4}, "dcd-psgd", {.regularizer = "l1(0.1)"});
      }) ==
      "model.regularizer = l1(0.1): dcd-psgd minimises smooth objectives only; expected one of dspg, dpsvrg");
  CHECK(misuse_text([] {
          quadratics_in<double>({"ring", 4}, "d-psgd", {.options = {.inner_length = 5}});
        }) == "algorithm.inner_length = 5: d-psgd does not read it; leave it out (those that do: dpsvrg)");
}
