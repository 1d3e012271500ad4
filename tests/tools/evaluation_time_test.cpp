#include "tools/check/evaluation_time.hpp"

#include <doctest/doctest.h>

namespace hearsay::evaluation_time_test {

using namespace std::chrono_literals;

namespace {

constexpr std::uint64_t parameters = 272'474;

RunSettings on_ten_megabits() {
  RunSettings settings;
  settings.network.bandwidth_up = settings.network.bandwidth_down = Bandwidth{1.25e6};
  settings.network.latency = 5ms;
  return settings;
}

}  // namespace

TEST_CASE(
    "evaluation time: the models of all peers pass the port of the observer, and a verdict comes back") {
  RunSettings settings = on_ten_megabits();
  const double models = 8 * (64 + 4.0 * parameters) / 1.25e6;
  CHECK(evaluation_seconds_on_the_wire(settings, parameters, 8) == doctest::Approx(models + 0.010));
  settings.data.partition = "home";  // the mean model goes to every peer, and answers come
  CHECK(evaluation_seconds_on_the_wire(settings, parameters, 8) == doctest::Approx(2 * models + 0.020));
  settings.run.evaluate = RunSettings::Run::Evaluate::own;
  CHECK(evaluation_seconds_on_the_wire(settings, parameters, 8) == doctest::Approx(8 * 608 / 1.25e6 + 0.010));
}

TEST_CASE("evaluation time: it is said if it is no small part of the time between two evaluations") {
  RunSettings settings = on_ten_megabits();
  settings.run.evaluate_every = 10;
  CHECK(evaluation_time_text(settings, parameters, 8, 20.0) == "");  // 7 s of 200 s
  CHECK(evaluation_time_text(settings, parameters, 8, 1.0) ==
        ": one would take 6.99 s on this network if network.evaluations were \"shaped\"");
  settings.evaluations = EvaluationFrames::shaped;
  CHECK(evaluation_time_text(settings, parameters, 8, 20.0) ==
        ": the frames of one take 6.99 s on this network");
  CHECK(evaluation_time_text(RunSettings(), parameters, 8, 1.0) == "");
}

}  // namespace hearsay::evaluation_time_test
