#include "algorithms/methods/dpsvrg.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/methods/registry.hpp"
#include "runtime/observer/observer.hpp"
#include "tests/methods/lone_host.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::dpsvrg_test {

namespace {

constexpr Index dimension = 9;
constexpr double eta = 0.125;

MethodOptions with_estimator(const std::string& estimator) {
  MethodOptions options{{option::estimator, estimator}};
  if (estimator != "saga") options.set(option::inner_length, 1'000'000);  // no snapshot but the first
  return resolved_options(options, dpsvrg_info());
}

/// Returns v of a lone peer in its last iteration, on `minibatch`, and the full gradient at the same point.
/// The iterations before are on the samples 5, 2, 5, 0.
template <class Scalar>
std::pair<Vector<Scalar>, Vector<Scalar>> estimate(const std::string& estimator,
                                                   std::size_t iterations_before,
                                                   const std::vector<Index>& minibatch) {
  const Problem<Scalar> problem = regression_problem<Scalar>(dimension, 1);
  const Objective<Scalar>& objective = *problem.objectives.front();
  const auto none = make_regularizer<Scalar>("none", objective.segments());
  const SegmentTable segments = objective.segments();
  const auto method = dpsvrg_info().make(MethodInput<Scalar>{.initial = problem.initial,
                                                             .neighbors = {},
                                                             .segments = segments,
                                                             .options = with_estimator(estimator),
                                                             .regularizer = none.get()});
  LoneHost<Scalar> host(objective, 7);
  const Index before[] = {5, 2, 5, 0};
  std::uint64_t number = 0;
  while (number < iterations_before) {
    host.run(*method, number + 1, eta, {before[number]});
    ++number;
  }
  const Vector<Scalar> x = method->model();
  host.run(*method, number + 1, eta, minibatch);
  Vector<Scalar> full(dimension);
  std::vector<Index> all(static_cast<std::size_t>(objective.sample_count()));
  std::iota(all.begin(), all.end(), Index{0});
  objective.gradient(x, all, full);
  return {(x - method->model()) / static_cast<Scalar>(eta), full};
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
    CHECK(spread > 1e-3);  // a single estimate differs
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
  const Plan plan{
      .iterations = 30,
      .batch = 2,
      .options = {{option::inner_length, 4}, {option::inner_growth, 1.0}, {option::consensus, "3"}},
      .regularizer = "l1(0.02)"};
  const auto experiment = regressions_in<double>(world, "dpsvrg", plan, 19);
  const auto recording = record_run(experiment);
  const auto mean_gradient = [&](const Vector<double>& x, const std::vector<std::vector<Index>>& samples) {
    Vector<double> mean = Vector<double>::Zero(x.size());
    Vector<double> gradient(x.size());
    for (std::size_t i = 0; i < 8; ++i) {
      experiment.problem.objectives[i]->gradient(x, samples[i], gradient);
      mean += gradient / 8.0;
    }
    return mean;
  };
  const std::vector<std::vector<Index>> all(8, {0, 1, 2, 3, 4, 5, 6, 7});
  Vector<double> x = experiment.problem.initial;
  Vector<double> snapshot = x;
  Vector<double> full = x;
  double correction = 0.0;
  for (std::uint64_t t = 1; t < recording.size(); ++t) {
    std::vector<std::vector<Index>> drawn(8);
    for (PeerId id = 0; id < 8; ++id) {
      RandomStream random(plan.seed, id, t, Purpose::minibatch);
      for (int k = 0; k < 2; ++k) drawn[id].push_back(static_cast<Index>(random.below(8)));
    }
    if ((t - 1) % 4 == 0) {
      snapshot = x;
      full = mean_gradient(snapshot, all);
    }
    const Vector<double> change = mean_gradient(x, drawn) - mean_gradient(snapshot, drawn);
    correction = std::max(correction, (change + full - mean_gradient(x, all)).norm());
    x -= plan.step_size * (change + full);
    experiment.problem.regularizer->prox(plan.step_size, x);
    for (const PeerRecord<double>& peer : recording[t]) CHECK((peer.model - x).cwiseAbs().maxCoeff() < 1e-13);
  }
  CHECK(correction > 1e-3);  // the draws matter
}

TEST_CASE("dpsvrg: with an empty shard, too, every estimator ends at the optimum of all") {
  // 7 samples in all, on three of four peers; f_i = (4/7) sum of the own sample losses + (l2/2) ||x||^2.
  constexpr Index count = 5;
  constexpr double l2 = 0.3;
  DenseRows<double> features(7, count);
  RandomStream random(29, 0, 0, Purpose::data);
  for (Index k = 0; k < features.size(); ++k) features.data()[k] = random.normal();
  std::vector<double> targets(7);
  for (double& target : targets) target = random.normal();
  const auto samples = std::make_shared<const Samples<double>>(Samples<double>{features, targets});
  const auto optimum_of = [&](const char* estimator) {
    Problem<double> problem;
    for (const std::vector<Index>& rows : std::vector<std::vector<Index>>{{0, 1, 2}, {}, {3, 4}, {5, 6}})
      problem.objectives.push_back(
          std::make_unique<LeastSquares<double>>(Shard<double>{samples, rows}, 4.0 / 7.0, l2));
    problem.initial = normal_vector<double>(count, 17, 0);
    MethodOptions options{{option::estimator, estimator}, {option::consensus, "1"}};
    if (std::string(estimator) != "saga") options.set(option::inner_length, 20);
    return record_run(
               prepare<double>(
                   settings_of(
                       "dpsvrg", {"complete", 4},
                       {.iterations = 4000, .step_size = 0.02, .batch = 1, .options = std::move(options)}),
                   std::move(problem)))
        .back()
        .front()
        .model;
  };
  for (const char* estimator : {"svrg", "loopless-svrg", "saga"}) {
    CAPTURE(std::string(estimator));
    const Vector<double> x = optimum_of(estimator);
    // (1/7) sum_s (a_s' x - b_s) a_s + l2 x = 0
    Vector<double> slope = l2 * x;
    for (Index s = 0; s < 7; ++s) {
      const Vector<double> row = features.row(s).transpose();
      slope += (row.dot(x) - targets[static_cast<std::size_t>(s)]) / 7.0 * row;
    }
    CHECK(slope.cwiseAbs().maxCoeff() < 1e-9);
  }
}

TEST_CASE("dpsvrg: loopless snapshots are taken at all peers at once, every inner_length iterations or so") {
  // Slowly, so that no model stays where it is, its own snapshot.
  const auto recording = record_run(quadratics_in<double>(
      {"ring", 3}, "dpsvrg",
      {.iterations = 2000,
       .step_size = 1e-3,
       .options = {
           {option::estimator, "loopless-svrg"}, {option::inner_length, 10}, {option::consensus, "1"}}}));
  int snapshots = 0;
  for (std::size_t t = 1; t < recording.size(); ++t) {
    int peers = 0;
    for (std::size_t i = 0; i < 3; ++i)
      peers += recording[t][i].states.at("snapshot") == recording[t - 1][i].model ? 1 : 0;
    CHECK((peers == 0 || peers == 3));
    snapshots += peers == 3 ? 1 : 0;
  }
  // 200 are expected, with a standard deviation of 13.
  CHECK(snapshots > 140);
  CHECK(snapshots < 260);
}

TEST_CASE("dpsvrg: zeros of the proximal map are exact zeros at every peer, mixed afterwards they are not") {
  const auto zeros = [](const std::string& order) {
    const auto experiment = quadratics_in<float>(
        {"ring", 8}, "dpsvrg",
        {.iterations = 60, .options = {{option::prox_order, order}}, .regularizer = "l1(0.5)"});
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
               quadratics_in<double>(
                   {"ring", 16}, "dpsvrg",
                   {.iterations = 40, .options = {{option::consensus, "8"}, {option::gossip, gossip}}}))
        .back();
  };
  const auto plain = run("plain");
  const auto chebyshev = run("chebyshev");
  const auto disagreement = [](const auto& peers) {
    const Models<double> models = models_of(peers);
    return consensus_distance(models, mean_of(models));
  };
  CHECK(disagreement(chebyshev) < 0.5 * disagreement(plain));
  // The mean moves by the mean gradient: mixing adds nothing.
  const auto experiment = quadratics_in<double>(
      {"ring", 16}, "dpsvrg",
      {.iterations = 40, .options = {{option::consensus, "8"}, {option::gossip, "chebyshev"}}});
  const auto recording = record_run(experiment);
  for (std::size_t t = 1; t < recording.size(); ++t) {
    Vector<double> expected = mean_in_double(recording[t - 1]);
    for (PeerId i = 0; i < 16; ++i) {
      Vector<double> gradient(19);
      const Index sample = 0;
      experiment.problem.objectives[i]->gradient(recording[t - 1][i].model, {&sample, 1}, gradient);
      expected -= 0.1 / 16.0 * gradient;
    }
    CHECK((mean_in_double(recording[t]) - expected).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("dpsvrg: what its options cannot be is refused before anything starts") {
  const auto refusal = [](const World& world, MethodOptions options) {
    return misuse_text([&] { quadratics_in<double>(world, "dpsvrg", {.options = std::move(options)}); });
  };
  CHECK(refusal({"ring", 4}, {{option::consensus, "often"}})
            .starts_with("algorithm.consensus = often: expected"));
  // Options that an estimator does not read are refused, even with their default.
  CHECK(refusal({"ring", 4}, {{option::estimator, "saga"}, {option::snapshot, "average"}}) ==
        "algorithm.snapshot = average: dpsvrg with estimator = saga does not read it; leave it out");
  CHECK(refusal({"ring", 4}, {{option::estimator, "saga"}, {option::inner_length, 1000}}) ==
        "algorithm.inner_length = 1000: dpsvrg with estimator = saga does not read it; leave it out");
  for (const char* estimator : {"saga", "loopless-svrg"})
    CHECK(refusal({"ring", 4}, {{option::estimator, estimator}, {option::inner_growth, 1.2}}) ==
          "algorithm.inner_growth = 1.2: dpsvrg with estimator = " + std::string(estimator) +
              " does not read it; leave it out");
  CHECK(refusal({"ring", 4}, {{option::estimator, "loopless-svrg"}, {option::inner_length, 30}}) == "");
  CHECK(refusal({"hypercube", 8, "metropolis", "hypercube-matchings"}, {{option::gossip, "chebyshev"}})
            .starts_with("algorithm.gossip = chebyshev: it needs one symmetric mixing matrix"));
  CHECK(misuse_text([] {
          quadratics_in<double>({"ring", 4}, "dcd-psgd", {.regularizer = "l1(0.1)"});
        }) ==
        "model.regularizer = l1(0.1): dcd-psgd minimises smooth objectives only; expected one of dspg, "
        "dpsvrg, qcmd-adagrad, qrda-adagrad");
  CHECK(misuse_text([] {
          quadratics_in<double>({"ring", 4}, "d-psgd", {.options = {{option::inner_length, 5}}});
        }) == "algorithm.inner_length = 5: d-psgd does not read it; leave it out (those that do: dpsvrg)");
}

}  // namespace hearsay::test::dpsvrg_test
