#include "tools/check/dry_run.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::dry_run_test {

TEST_CASE("dry run: it gives up where even the first iterations outlast its patience, and says no seconds") {
  auto experiment = quadratic_experiment<double>("dcd-psgd", "ring", 4, 10);
  const RunSettings settings = experiment.settings;
  const TrafficForecast most = forecast_traffic(experiment);
  const DryRun none = dry_run(experiment, most, Duration{0});
  CHECK(none.given_up);
  CHECK(none.failure.empty());
  CHECK_FALSE(none.seconds.has_value());
  CHECK_FALSE(none.seconds_per_iteration.has_value());
  REQUIRE(none.peer_bytes.size() == 4);
  for (std::size_t id = 0; id < 4; ++id)
    CHECK(none.peer_bytes[id] == static_cast<double>(most.peers[id].bytes));
  // The experiment is unchanged.
  CHECK(experiment.settings == settings);
  CHECK(experiment.iterations == 20);
  const DryRun some = dry_run(experiment, most, std::chrono::hours(1));
  CHECK_FALSE(some.given_up);
  CHECK(some.seconds.has_value());
}

TEST_CASE("dry run: the seconds of 20 equal iterations are those of one, 20 times") {
  auto experiment = experiment_from<float>(
      "run.iterations = 20\nmodel.kind = \"quadratic(50)\"\ntopology.peers = 4\n"
      "algorithm = { kind = \"d-psgd\", batch = \"full\" }\n"
      "network = { compute = \"2 ms\", latency = \"3 ms\" }\n");
  const DryRun run = dry_run(experiment, forecast_traffic(experiment), std::chrono::hours(1));
  REQUIRE(run.seconds.has_value());
  CHECK(*run.seconds_per_iteration == doctest::Approx(0.003));
  CHECK(*run.seconds == doctest::Approx(20 * 0.003).epsilon(0.2));
}

TEST_CASE(
    "dry run: an iteration takes as long as one that is not the last, which computes no gradient ahead") {
  for (const char* method : {"dcd-psgd", "ecd-psgd"}) {
    CAPTURE(method);
    auto experiment = experiment_from<float>(
        "run.iterations = 200\nmodel.kind = \"quadratic(50)\"\ntopology.peers = 4\n"
        "algorithm = { kind = \"" +
        std::string(method) +
        "\", batch = \"full\" }\n"
        "network = { compute = \"4 ms\", latency = \"3 ms\" }\n");
    const DryRun run = dry_run(experiment, forecast_traffic(experiment), std::chrono::hours(1));
    CHECK(experiment.iterations == 200);
    REQUIRE(run.seconds.has_value());
    CHECK(*run.seconds_per_iteration == doctest::Approx(0.004));
    CHECK(*run.computing_share == doctest::Approx(1.0));
    CHECK(*run.seconds == doctest::Approx(200 * 0.004 + 0.003));
  }
}

TEST_CASE("dry run: a run of a few iterations, the last without a gradient ahead, is told as a whole") {
  for (const std::uint64_t iterations : {2, 3, 5, 8, 12}) {
    CAPTURE(iterations);
    auto experiment = experiment_from<float>("run.iterations = " + std::to_string(iterations) +
                                             "\nmodel.kind = \"quadratic(50)\"\ntopology.peers = 4\n"
                                             "algorithm = { kind = \"dcd-psgd\", batch = \"full\" }\n"
                                             "network = { compute = \"4 ms\", latency = \"3 ms\" }\n");
    const DryRun run = dry_run(experiment, forecast_traffic(experiment), std::chrono::hours(1));
    const double computes = static_cast<double>(iterations) * 0.004;
    REQUIRE(run.seconds.has_value());
    CHECK(*run.seconds == doctest::Approx(computes + 0.003));
    CHECK(*run.seconds_per_iteration == doctest::Approx(*run.seconds / static_cast<double>(iterations)));
    CHECK(*run.computing_share == doctest::Approx(computes / *run.seconds));
  }
}

TEST_CASE(
    "dry run: where a part of the messages hides behind a gradient ahead, the last iteration ends sooner") {
  auto experiment = experiment_from<float>(
      "run = { iterations = 60, evaluate_every = 60 }\nmodel.kind = \"quadratic(50)\"\ntopology.peers = 4\n"
      "algorithm = { kind = \"dpsvrg\", batch = \"full\", consensus = \"2\" }\n"
      "network = { compute = \"4 ms\", latency = \"3 ms\" }\n");
  const DryRun run = dry_run(experiment, forecast_traffic(experiment), std::chrono::hours(1));
  REQUIRE(run.seconds.has_value());
  CHECK(*run.seconds_per_iteration == doctest::Approx(0.011));  // 4 ms, 4 ms beside 3 ms, 3 ms
  CHECK(*run.seconds == doctest::Approx(simulate(experiment, Duration{0}).seconds));
}

}  // namespace hearsay::dry_run_test
