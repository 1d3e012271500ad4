// The claims of the README's map, at one of its networks.
#include <doctest/doctest.h>

#include <map>
#include <string>

#include "runtime/experiment/experiment.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "runtime/simulator/simulator.hpp"

using namespace hearsay;

namespace {

/// Seconds to the target of four variants of bench/sweeps/slow-network.toml at 10 Mbit/s and 5 ms, labels
/// shared, with the step size that the map chooses for all of them.
std::map<std::string, double> seconds_to_target() {
  const Sweep sweep =
      load_sweep(HEARSAY_SOURCE_DIR "/bench/sweeps/slow-network.toml",
                 {"sweep.network.bandwidth=[\"10 Mbit/s\"]", "sweep.network.latency=[\"5 ms\"]",
                  "sweep.data.partition=[\"iid\"]", "sweep.algorithm.step_size=[0.4, 0.8]"});
  std::map<std::string, double> seconds;
  for (const SweepPoint& point : sweep.points) {
    if (point.variant != "all-reduce" && point.variant != "CHOCO, 1 bit, 4 local steps" &&
        point.variant != "SparseLoCo, Rice indices" && point.variant != "DCD, 4 bit")
      continue;
    if (seconds.contains(point.variant)) continue;
    const auto outcome = simulate(prepare<float>(point.run), Duration{0});
    REQUIRE_MESSAGE(outcome.target, point.variant);
    seconds[point.variant] = outcome.target->seconds;
  }
  return seconds;
}

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE(
      "slow network: 1 bit and four local steps reach the target 30 times sooner than all-reduce, one model "
      "at "
      "all peers 15 times") {
    const std::map<std::string, double> seconds = seconds_to_target();
    const double baseline = seconds.at("all-reduce");
    CHECK(baseline / seconds.at("CHOCO, 1 bit, 4 local steps") > 30.0);
    CHECK(baseline / seconds.at("SparseLoCo, Rice indices") > 15.0);
    CHECK(baseline / seconds.at("SparseLoCo, Rice indices") < 20.0);
    CHECK(baseline / seconds.at("DCD, 4 bit") > 5.0);
  }
}
