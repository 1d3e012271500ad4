#include <doctest/doctest.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "runtime/data/dataset.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/convergence/newton.hpp"
#include "tests/support/experiments.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

constexpr double l2 = 1e-3;

/// Returns the loss of the mean model above the optimum, at the end of a run on a9a, dealt by label to a ring
/// of 8, with full gradients.
template <class Scalar>
double gap_of(const std::string& source, const Samples<double>& samples, double least,
              const std::string& iterations, const std::string& algorithm,
              const std::string& step_size = "1.0") {
  const auto experiment =
      experiment_from<Scalar>("run = { iterations = " + iterations + ", evaluate_every = " + iterations +
                              " }\n"
                              "data = { source = \"" +
                              source +
                              "\", partition = \"by-label\" }\n"
                              "model = { kind = \"logistic\", l2 = 1e-3 }\n"
                              "topology = { kind = \"ring\", peers = 8 }\n"
                              "algorithm = { step_size = " +
                              step_size + ", batch = \"full\", " + algorithm + " }\n");
  const auto outcome = simulate(experiment, Duration{0});
  REQUIRE(outcome.status == RunStatus::done);
  const Vector<double> model = outcome.mean_model.template cast<double>();
  const double gap = logistic_loss(samples, l2, model) - least;
  MESSAGE(algorithm << ": " << gap);
  return gap;
}

struct A9a {
  std::string source;
  std::shared_ptr<const Samples<double>> samples;
  Optimum optimum;
};

/// Returns the data and their optimum. Empty, with a message, if HEARSAY_DATA_DIR is not set.
std::optional<A9a> a9a() {
  const char* const data = std::getenv("HEARSAY_DATA_DIR");
  if (data == nullptr) {
    MESSAGE("skipped: bias on a9a (HEARSAY_DATA_DIR is not set)");
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

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE(
      "a9a by label: CEDAS at 2 bits ends at the optimum, in float, too, CHOCO and DCD stall at their bias") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    const auto& [source, samples, optimum] = *data;
    const std::string cedas = "kind = \"cedas\", compressor = \"dither(linf, bits=2, bucket=512)\"";
    CHECK(gap_of<double>(source, *samples, optimum.loss, "5000", cedas) < 2e-8);
    CHECK(gap_of<float>(source, *samples, optimum.loss, "5000", cedas) < 2e-8);
    for (const std::string kind : {"dcd-psgd", "choco-sgd"})
      CHECK(gap_of<double>(source, *samples, optimum.loss, "1000",
                           "kind = \"" + kind + "\", compressor = \"dither(linf, bits=4, bucket=512)\"") >
            1e-2);
  }

  // This takes 15 s of one core. These steps are the fastest of those tried (both steps 0.1: 40,000
  // iterations, 50 s).
  TEST_CASE("a9a by label: BEER ends at the optimum with the largest tenth of every difference") {
    const std::optional<A9a> data = a9a();
    if (!data) return;
    CHECK(gap_of<double>(data->source, *data->samples, data->optimum.loss, "11000",
                         "kind = \"beer\", compressor = \"topk(10%)\", consensus_step = 0.2", "0.4") < 2e-8);
  }
}
