#include "tools/examples/layer_parallel/layer_parallel.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "runtime/experiment/traffic_forecast.hpp"
#include "tests/layer_parallel/example_run.hpp"
#include "tests/layer_parallel/reference.hpp"
#include "tests/methods/restart_law.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::layer_parallel::layer_parallel_test {

using namespace hearsay::layer_parallel::test;

namespace {

template <class Scalar>
RunOutcome<Scalar> simulated(const std::string& method, const Plan& plan) {
  RunOutcome<Scalar> outcome = simulate(experiment_of<Scalar>(method, plan), std::chrono::microseconds(20));
  REQUIRE(outcome.status == RunStatus::done);
  return outcome;
}

/// Returns the violation at every evaluation of a run.
std::vector<double> violations(const std::string& method, const Plan& plan) {
  const Stages stages(shape, plan.stages, sample_count);
  std::vector<double> result;
  RunControl control;
  control.on_models = [&](const ModelSet& kept) {
    const auto* entries = reinterpret_cast<const double*>(kept.models.front().data());
    const Vector<double> z = Eigen::Map<const Vector<double>>(entries, stages.dimension());
    result.push_back(violation<double>(stages, *samples<double>(), z));
  };
  const auto outcome = simulate(experiment_of<double>(method, plan), std::chrono::microseconds(20), control);
  REQUIRE(outcome.status == RunStatus::done);
  return result;
}

Vector<double> start() { return Stages(shape, 1, sample_count).initial<double>(1); }

/// Returns what lies at `begin` of z, in samples x width entries.
DenseRows<double> interface_at(const Vector<double>& z, Index begin) {
  return Eigen::Map<const DenseRows<double>>(z.data() + begin, sample_count, shape.width);
}

/// Returns the index of the state that enters stage k.
std::size_t block_before(const Stages& stages, PeerId k) { return stages.first(k) - 1; }

/// Returns the largest difference, relative to the largest entry of `b`.
template <class A, class B>
double distance(const A& a, const B& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("layer-parallel: a stage's gradient is the slope of its part of the Lagrangian") {
  const auto stages = std::make_shared<Stages>(shape, 3, sample_count);
  Vector<double> z = stages->initial<double>(1);
  RandomStream random(1, 0, 0, Purpose::sketch);
  for (double& entry : z) entry += 0.3 * random.normal();
  Vector<double> direction(z.size());
  for (double& entry : direction) entry = random.normal();
  std::vector<Index> all;
  for (Index s = 0; s < sample_count; ++s) all.push_back(s);
  for (PeerId k = 0; k < 3; ++k) {
    CAPTURE(k);
    const StageObjective<double> stage(stages, samples<double>(), k);
    Vector<double> gradient(z.size());
    stage.gradient(z, all, gradient);
    const double step = 1e-5;
    const double slope = (stage.loss(z + step * direction) - stage.loss(z - step * direction)) / (2.0 * step);
    CHECK(gradient.dot(direction) == doctest::Approx(slope).epsilon(1e-7));

    // The mean over the samples of the estimates from one sample each.
    Vector<double> mean = Vector<double>::Zero(z.size());
    Vector<double> of_one(z.size());
    for (const Index s : all) {
      stage.gradient(z, {&s, 1}, of_one);
      mean += of_one / static_cast<double>(sample_count);
    }
    CHECK(distance(mean, gradient) < 1e-12);
  }
}

TEST_CASE("layer-parallel: one stage is gradient descent, bit for bit") {
  const auto check = [](auto scalar) {
    using Scalar = decltype(scalar);
    for (const char* rule : {"serial_every = 0", "serial_every = 3"})
      for (const std::string& method : {penalty, lagrangian}) {
        CAPTURE(method);
        const Plan plan{.stages = 1, .iterations = 25, .more = rule};
        Plan ordinary = plan;
        ordinary.more.clear();
        CHECK(simulated<Scalar>(method, plan).mean_model ==
              simulated<Scalar>("allreduce-sgd", ordinary).mean_model);
      }
  };
  check(double{});
  check(float{});
}

TEST_CASE("layer-parallel: a serial correction moves the weights by the gradient of back-propagation") {
  const Reference reference = back_propagation(shape, *samples<double>(), start());
  CHECK(WholeNetwork<double>(shape, samples<double>()).loss(start()) ==
        doctest::Approx(reference.loss).epsilon(1e-13));
  for (const std::string& method : {penalty, lagrangian})
    for (const PeerId count : {1u, 2u, 3u, 6u}) {
      CAPTURE(method);
      CAPTURE(count);
      const Plan plan{.stages = count, .iterations = 1, .step_size = "0.5", .more = "serial_every = 1"};
      const Vector<double> z = simulated<double>(method, plan).mean_model;
      const Vector<double> moved = (start() - z.head(start().size())) / 0.5;
      CHECK(distance(moved, reference.gradient) < 1e-12);
    }
}

TEST_CASE("layer-parallel: a serial correction leaves the true states, and the adjoints as multipliers") {
  const Reference reference = back_propagation(shape, *samples<double>(), start());
  const Stages stages(shape, 6, sample_count);
  const Plan plan{.stages = 6, .iterations = 1, .more = "serial_every = 1"};
  const Vector<double> z = simulated<double>(lagrangian, plan).mean_model;
  for (PeerId k = 1; k < 6; ++k) {
    CHECK(distance(interface_at(z, stages.state(k)), reference.states[block_before(stages, k)]) < 1e-12);
    CHECK(distance(interface_at(z, stages.adjoint(k)), reference.adjoints[block_before(stages, k)]) < 1e-10);
  }
}

TEST_CASE(
    "layer-parallel: at the true states the Lagrangian is stationary for the adjoints, and only for them") {
  const Reference reference = back_propagation(shape, *samples<double>(), start());
  const auto stages = std::make_shared<Stages>(shape, 4, sample_count);
  Vector<double> z = stages->initial<double>(1);
  const auto put = [&](Index begin, const DenseRows<double>& rows) {
    Eigen::Map<DenseRows<double>>(z.data() + begin, sample_count, shape.width) = rows;
  };
  for (PeerId k = 1; k < 4; ++k) {
    put(stages->state(k), reference.states[block_before(*stages, k)]);
    put(stages->adjoint(k), reference.adjoints[block_before(*stages, k)]);
  }
  const auto problem = staged_problem<double>(stages, samples<double>(), samples<double>(), false, 1);
  CHECK(problem.loss(z) == doctest::Approx(reference.loss).epsilon(1e-13));
  CHECK(violation<double>(*stages, *samples<double>(), z) < 1e-14);
  const auto slopes = [&](const Vector<double>& at) {
    std::vector<Index> all;
    for (Index s = 0; s < sample_count; ++s) all.push_back(s);
    Vector<double> sum = Vector<double>::Zero(at.size());
    Vector<double> own(at.size());
    for (const auto& objective : problem.objectives) {
      objective->gradient(at, all, own);
      sum += own / 4.0;
    }
    return sum;
  };
  const double scale = reference.gradient.cwiseAbs().maxCoeff();
  const Vector<double> stationary = slopes(z);
  CHECK(distance(stationary.head(start().size()), reference.gradient) < 1e-12);
  CHECK(stationary.tail(z.size() - start().size()).cwiseAbs().maxCoeff() < 1e-14 * scale + 1e-15);
  // A multiplier that is off by 1 % shows.
  z.segment(stages->adjoint(2), sample_count * shape.width) *= 1.01;
  CHECK(slopes(z).tail(z.size() - start().size()).cwiseAbs().maxCoeff() > 1e-5 * scale);
}

TEST_CASE("layer-parallel: with weights held, states and multipliers come to those of back-propagation") {
  const Reference reference = back_propagation(shape, *samples<double>(), start());
  const Stages stages(shape, 3, sample_count);
  const Plan plan{.stages = 3,
                  .iterations = 3000,
                  .evaluate_every = 3000,
                  .step_size = "1e-200",
                  .more = "serial_every = 0"};
  const Vector<double> z = simulated<double>(lagrangian, plan).mean_model;
  CHECK(violation<double>(stages, *samples<double>(), z) < 1e-12);
  for (PeerId k = 1; k < 3; ++k) {
    CHECK(distance(interface_at(z, stages.state(k)), reference.states[block_before(stages, k)]) < 1e-10);
    CHECK(distance(interface_at(z, stages.adjoint(k)), reference.adjoints[block_before(stages, k)]) < 1e-10);
  }
}

TEST_CASE("layer-parallel: the violation falls, with multipliers to nothing") {
  const Plan plan{.iterations = 4000, .evaluate_every = 500, .more = "serial_every = 0"};
  const std::vector<double> by_penalty = violations(penalty, plan);
  const std::vector<double> by_multipliers = violations(lagrangian, plan);
  REQUIRE(by_penalty.size() == 9);
  for (std::size_t k = 1; k < by_penalty.size(); ++k) {
    CHECK(by_penalty[k] < by_penalty[k - 1]);
    CHECK(by_multipliers[k] < by_multipliers[k - 1]);
  }
  CHECK(by_penalty.back() > 1e-2);
  CHECK(by_multipliers.back() < 1e-4);
}

TEST_CASE("layer-parallel: what a penalty leaves of the violation is halved if it is doubled") {
  const auto left = [](const std::string& beta) {
    const Plan plan{.iterations = 1000,
                    .evaluate_every = 1000,
                    .step_size = "1e-200",
                    .more = "serial_every = 0, penalty = " + beta};
    return violations(penalty, plan).back();
  };
  const double at_20 = left("20");
  CHECK(at_20 > 0.0);
  CHECK(at_20 / left("40") == doctest::Approx(2.0).epsilon(0.05));
}

TEST_CASE("layer-parallel: in real processes and in the simulator the bits are the same") {
  const auto check = [](auto scalar, const std::string& method, const std::string& compressor) {
    using Scalar = decltype(scalar);
    CAPTURE(method);
    CAPTURE(compressor);
    const Plan plan{.stages = 4,
                    .iterations = 20,
                    .evaluate_every = 5,
                    .more = "serial_every = 7, compressor = \"" + compressor + "\""};
    const auto experiment = experiment_of<Scalar>(method, plan);
    const auto real = run_local(experiment);
    const auto virtually = simulate(experiment, std::chrono::microseconds(20));
    CHECK(real.status == RunStatus::done);
    CHECK(real.mean_model == virtually.mean_model);
    REQUIRE(real.evaluations.size() == virtually.evaluations.size());
    for (std::size_t k = 0; k < real.evaluations.size(); ++k) {
      CHECK(real.evaluations[k].loss == virtually.evaluations[k].loss);
      CHECK(real.evaluations[k].bytes_sent == virtually.evaluations[k].bytes_sent);
    }
    for (PeerId k = 0; k < plan.stages; ++k) CHECK(real.models[k] == virtually.models[k]);
  };
  check(double{}, lagrangian, "none");
  check(float{}, lagrangian, "dither(linf, bits=8)");
  check(float{}, penalty, "topk(10%)");
}

TEST_CASE("layer-parallel: from any checkpoint a stage goes on with the same bits") {
  for (const std::string& method : {penalty, lagrangian}) {
    const Plan plan{.stages = 4,
                    .iterations = 12,
                    .evaluate_every = 4,
                    .more = "serial_every = 5, compressor = \"dither(linf, bits=8)\""};
    CHECK(hearsay::test::restart_violation(experiment_of<double>(method, plan)) == "");
  }
}

TEST_CASE("layer-parallel: every stage sends what it said it would") {
  const Plan plan{.stages = 3, .iterations = 10, .more = "serial_every = 4, compressor = \"sign\""};
  const auto experiment = experiment_of<float>(lagrangian, plan);
  const auto outcome = simulate(experiment, std::chrono::microseconds(20));
  const TrafficForecast forecast = forecast_traffic(experiment);
  CHECK(forecast.exact);
  for (PeerId k = 0; k < 3; ++k) {
    CHECK(outcome.peers[k].meters.messages_sent == (k == 1 ? 20 : 10));
    CHECK(outcome.peers[k].meters.messages_sent == forecast.peers[k].messages);
    CHECK(outcome.peers[k].meters.bytes_sent == forecast.peers[k].bytes);
  }
}

TEST_CASE("layer-parallel: with a byte for a number the network learns as with eight") {
  const Stages stages(shape, 3, sample_count);
  const WholeNetwork<double> network(shape, samples<double>());
  Plan plan{.iterations = 3000, .evaluate_every = 3000, .more = "serial_every = 20"};
  const auto full = simulated<double>(lagrangian, plan);
  plan.more += ", compressor = \"dither(linf, bits=8)\"";
  const auto compressed = simulated<double>(lagrangian, plan);
  const auto bytes = [](const auto& run) { return static_cast<double>(run.evaluations.back().bytes_sent); };
  CHECK(bytes(compressed) < 0.4 * bytes(full));
  CHECK(network.loss(full.mean_model) < 0.05);
  CHECK(network.loss(compressed.mean_model) == doctest::Approx(network.loss(full.mean_model)).epsilon(0.05));
  CHECK(violation<double>(stages, *samples<double>(), compressed.mean_model) < 1e-3);
}

TEST_CASE("layer-parallel: what cannot be cut into stages is refused") {
  const auto refusal = [](const Plan& plan, const std::string& topology) {
    return misuse_text([&] { experiment_of<double>(lagrangian, plan, topology); });
  };
  CHECK(refusal({}, "path").empty());
  CHECK(contains(refusal({}, "ring"), "expected \"path\""));
  CHECK(contains(refusal({.stages = 7}, "path"), "there are 6 blocks"));
  CHECK(contains(refusal({.more = "penalty = 0"}, "path"),
                 "algorithm.penalty = 0: expected a number greater than 0"));
  CHECK(contains(refusal({.more = "local_steps = 2"}, "path"), "does not read it"));
}

}  // namespace hearsay::layer_parallel::layer_parallel_test
