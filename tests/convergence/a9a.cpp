#include "tests/convergence/a9a.hpp"

#include <doctest/doctest.h>

#include <cstdlib>

#include "runtime/data/dataset.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::test {

namespace {

constexpr double l2 = 1e-3;

}  // namespace

std::optional<A9a> a9a() {
  const char* const data = std::getenv("HEARSAY_DATA_DIR");
  if (data == nullptr) {
    MESSAGE("skipped: training on a9a (HEARSAY_DATA_DIR is not set)");
    return std::nullopt;
  }
  A9a found{"libsvm:" + std::string(data) + "/a9a.gz", {}, {}};
  RunSettings::Data settings;
  settings.source = found.source;
  found.samples = load_data<double>(settings, true, 1).train;
  found.optimum = minimise_logistic(*found.samples, l2);
  REQUIRE(found.optimum.gradient_norm <= 1e-10);
  return found;
}

template <class Scalar>
A9aEnding ending_of(const A9a& data, const A9aRun& run) {
  const auto experiment = experiment_from<Scalar>(
      "run = { iterations = " + run.iterations + ", evaluate_every = " + run.iterations +
      " }\n"
      "data = { source = \"" +
      data.source + "\", partition = \"" + run.partition +
      "\" }\n"
      "model = { kind = \"logistic\", l2 = 1e-3 }\n"
      "topology = { " +
      run.topology +
      " }\n"
      "algorithm = { step_size = " +
      run.step_size + ", batch = \"full\", " + run.algorithm + " }\n");
  const auto outcome = simulate(experiment, Duration{0});
  REQUIRE(outcome.status == RunStatus::done);
  const Vector<double> model = outcome.mean_model.template cast<double>();
  const double gap = logistic_loss(*data.samples, l2, model) - data.optimum.loss;
  MESSAGE(run.algorithm << ", " << run.partition << ": " << gap);
  return {gap, outcome.evaluations.back()};
}

template A9aEnding ending_of<float>(const A9a&, const A9aRun&);
template A9aEnding ending_of<double>(const A9a&, const A9aRun&);

}  // namespace hearsay::test
