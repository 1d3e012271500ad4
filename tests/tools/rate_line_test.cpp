#include "tools/check/rate_line.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "tests/support/compressor_spellings.hpp"
#include "tests/support/experiments.hpp"
#include "tools/check/rate_figure.hpp"

namespace hearsay::test::rate_line_test {

namespace {

/// Few enough parameters for one bucket of coordinates, or more than one.
Experiment<double> of_features(int features) {
  return experiment_from<double>(
      "[data]\nsource = \"synthetic(samples=400, features=" + std::to_string(features) +
      ", classes=4)\"\n[topology]\npeers = 5\n[algorithm]\nkind = \"d-psgd\"\n");
}

}  // namespace

TEST_CASE("rate line: on the gradients of a run no compressor's worst error lies below the universal bound") {
  Experiment<double> experiment = of_features(300);
  const auto gradients = peer_gradients(experiment.settings, experiment.problem);
  REQUIRE(gradients);
  REQUIRE(gradients->gradients.size() == 5);
  int judged = 0;
  for (const std::string& spelling : spellings()) {
    CAPTURE(spelling);
    experiment.settings.algorithm.compressor = spelling;
    const auto line = rate_line(experiment.settings, *gradients);
    if (!line) continue;
    CHECK(line->bits <= line->most_bits);
    if (!line->worst_error) continue;
    ++judged;
    CHECK(line->most_bits >= universal_bits(*line->worst_error));
  }
  CHECK(judged > 20);
}

TEST_CASE("rate line: the curves rise as the error falls, and to code for what is shared costs no more") {
  const Experiment<double> experiment = of_features(60);
  const auto gradients = peer_gradients(experiment.settings, experiment.problem);
  REQUIRE(gradients);
  const nlohmann::ordered_json curves = rate_curves(*gradients);
  REQUIRE(curves["error"].size() == 61);
  CHECK(curves["error"][0] == 1.0);
  CHECK(curves["error"][60] == doctest::Approx(1e-6));
  for (const char* bound : {"universal", "gaussian", "ceo"}) {
    CAPTURE(bound);
    CHECK(std::abs(double(curves[bound][0])) < 1e-12);
    for (std::size_t k = 1; k <= 60; ++k) CHECK(curves[bound][k] >= curves[bound][k - 1]);
  }
  // Of one bucket, a Gaussian needs what no compressor's worst error goes below.
  REQUIRE(gradients->gradients.front().size() <= 512);
  for (std::size_t k = 0; k <= 60; ++k) {
    CHECK(double(curves["gaussian"][k]) == doctest::Approx(double(curves["universal"][k])).epsilon(1e-9));
    CHECK(curves["ceo"][k] <= double(curves["universal"][k]) + 1e-9);
  }
  CHECK(double(curves["ceo"][30]) < 0.9 * double(curves["universal"][30]));
}

TEST_CASE("rate line: with full batches the gradients are those of all samples, each taken once") {
  Experiment<double> experiment = of_features(60);
  experiment.settings.algorithm.batch = std::nullopt;
  const auto gradients = peer_gradients(experiment.settings, experiment.problem);
  REQUIRE(gradients);
  Vector<double> full(experiment.problem.dimension());
  for (PeerId id = 0; id < 5; ++id) {
    const Objective<double>& objective = *experiment.problem.objectives[id];
    std::vector<Index> all(static_cast<std::size_t>(objective.sample_count()));
    std::iota(all.begin(), all.end(), Index{0});
    objective.gradient(experiment.problem.initial, all, full);
    CHECK(gradients->gradients[id] == full);
  }
}

TEST_CASE(
    "rate line: the figure of a run is that of its own data and compressor, whatever was asked before") {
  RunSettings settings = of_features(60).settings;
  settings.algorithm.compressor = "dither(linf, levels=7, bucket=512)";
  const nlohmann::ordered_json first = RateFigure().of(settings);
  REQUIRE(first.is_object());
  RunSettings coarse = settings;
  coarse.algorithm.compressor = "dither(linf, levels=1, bucket=512)";
  RunSettings other = settings;
  other.run.seed = 2;
  RunSettings lossless = settings;
  lossless.algorithm.compressor = "none";
  RunSettings gone = settings;
  gone.data.source = "csv:/nowhere/at-all.csv";
  RateFigure figure;
  CHECK(figure.of(lossless).is_null());
  CHECK(figure.of(gone).is_null());
  CHECK(figure.of(settings) == first);
  const nlohmann::ordered_json of_coarse = figure.of(coarse);
  CHECK(of_coarse["curves"] == first["curves"]);
  CHECK(of_coarse["error"] > first["error"]);
  CHECK(of_coarse["bits"] < first["bits"]);
  CHECK(figure.of(other)["curves"] != first["curves"]);
  CHECK(figure.of(settings) == first);
}

}  // namespace hearsay::test::rate_line_test
