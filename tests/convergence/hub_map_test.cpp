// The claims of the README on a hub, at one of the networks of bench/sweeps/hub.toml.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>

#include "runtime/experiment/experiment.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "runtime/simulator/simulator.hpp"

using namespace hearsay;

namespace {

/// Seconds to the target of a hub method and the best gossip of bench/sweeps/hub.toml at 10 Mbit/s and 100
/// ms, with a port of the hub of 100 Mbit/s, and the step size that the map chooses for all of them.
std::map<std::string, double> seconds_to_target(const std::string& partition) {
  const Sweep sweep =
      load_sweep(HEARSAY_SOURCE_DIR "/bench/sweeps/hub.toml",
                 {"sweep.network.bandwidth=[\"10 Mbit/s\"]", "sweep.network.latency=[\"100 ms\"]",
                  "sweep.network.peer=[[{ id = 0, bandwidth = \"100 Mbit/s\" }]]",
                  "sweep.data.partition=[\"" + partition + "\"]", "sweep.algorithm.step_size=[0.4, 0.8]"});
  std::map<std::string, double> seconds;
  for (const SweepPoint& point : sweep.points) {
    if (point.variant != "hub: GenQSGD, 4 bit both ways" && point.variant != "CHOCO, 1 bit, 4 local steps" &&
        point.variant != "SparseLoCo, Rice indices" && point.variant != "DCD, 4 bit")
      continue;
    if (seconds.contains(point.variant)) continue;
    const auto outcome = simulate(prepare<float>(point.run), Duration{0});
    REQUIRE_MESSAGE(outcome.target, point.variant);
    seconds[point.variant] = outcome.target->seconds;
  }
  REQUIRE(seconds.size() == 4);
  return seconds;
}

/// How many times sooner the hub method is at the target than the best gossip.
double gain_of_hub(std::map<std::string, double> seconds) {
  const double hub = seconds.extract("hub: GenQSGD, 4 bit both ways").mapped();
  return std::ranges::min_element(seconds, {}, [](const auto& one) { return one.second; })->second / hub;
}

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE(
      "hub map: a hub with a fat port is first where labels are dealt out, and gossip where they are "
      "shared") {
    CHECK(gain_of_hub(seconds_to_target("by-label")) > 1.5);
    CHECK(gain_of_hub(seconds_to_target("iid")) < 0.8);
  }
}
