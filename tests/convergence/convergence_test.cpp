#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

#include "runtime/data/dataset.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/convergence/newton.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/process.hpp"

namespace hearsay::test::convergence_test {

namespace {

constexpr double l2 = 1e-4;

/// Starts a run of 4,000 iterations on a9a, in a process of its own. Its text is the loss of the mean model,
/// computed by the independent solver.
Process train(const std::string& source, const Samples<double>& samples, const std::string& algorithm) {
  return Process([&] {
    const auto experiment = experiment_from<double>(
        "run = { scalar = \"double\", iterations = 4000, evaluate_every = 4000 }\n"
        "data = { source = \"" +
        source +
        "\", partition = \"iid\" }\n"
        "model = { kind = \"logistic\", l2 = 1e-4 }\n"
        "topology = { kind = \"ring\", peers = 8 }\n"
        "algorithm = { step_size = 0.5, batch = \"full\", " +
        algorithm + " }\n");
    const auto outcome = simulate(experiment, Duration{0});
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", logistic_loss(samples, l2, outcome.mean_model));
    return Ended{outcome.status == RunStatus::done ? 0 : 1, text};
  });
}

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE(
      "a9a: D-PSGD, all-reduce and DCD at 8 bit reach the optimum that Newton's method finds, within 1e-3") {
    const char* const data = std::getenv("HEARSAY_DATA_DIR");
    if (data == nullptr) {
      MESSAGE("skipped: convergence on a9a (HEARSAY_DATA_DIR is not set)");
      return;
    }
    const std::string source = "libsvm:" + std::string(data) + "/a9a.gz";
    RunSettings::Data settings;
    settings.source = source;
    const auto samples = load_data<double>(settings, true, 1).train;
    REQUIRE(samples->count() == 32'561);
    const Optimum optimum = minimise_logistic(*samples, l2);
    REQUIRE(optimum.gradient_norm <= 1e-10);

    const std::vector<std::pair<std::string, Process>> runs = {
        {"d-psgd", train(source, *samples, "kind = \"d-psgd\"")},
        {"allreduce-sgd", train(source, *samples, "kind = \"allreduce-sgd\"")},
        {"dcd-psgd",
         train(source, *samples, "kind = \"dcd-psgd\", compressor = \"dither(linf, bits=8, bucket=512)\"")}};
    MESSAGE("least loss " << optimum.loss);
    for (const auto& run : runs) {
      const std::string& name = run.first;
      const Ended ended = run.second.join();
      CAPTURE(name);
      REQUIRE(ended.exit_code == 0);
      const double gap = std::stod(ended.text) - optimum.loss;
      MESSAGE(name << ": " << gap << " above it");
      CHECK(gap >= -1e-14);  // no model is below the optimum
      CHECK(gap <= 1e-3);
    }
  }
}

}  // namespace hearsay::test::convergence_test
