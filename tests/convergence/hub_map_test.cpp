// The claims of the README on a hub, at one of the networks of bench/sweeps/hub.toml.
#include <algorithm>

#include "tests/convergence/map_times.hpp"

namespace hearsay::hub_map_test {

namespace {

const std::string hub_method = "hub: GenQSGD, 4 bit both ways";

/// Of a hub method and the best gossip at 10 Mbit/s and 100 ms, with a port of the hub of 100 Mbit/s, and the
/// step size that the map chooses for all of them.
std::map<std::string, double> seconds_with(const std::string& partition) {
  return test::seconds_to_target(
      "hub.toml",
      {"sweep.network.bandwidth=[\"10 Mbit/s\"]", "sweep.network.latency=[\"100 ms\"]",
       "sweep.network.peer=[[{ id = 0, bandwidth = \"100 Mbit/s\" }]]",
       "sweep.data.partition=[\"" + partition + "\"]", "sweep.algorithm.step_size=[0.4, 0.8]"},
      {hub_method, "CHOCO, 1 bit, 4 local steps", "SparseLoCo, Rice indices", "DCD, 4 bit"});
}

/// How many times sooner the hub method is at the target than the best gossip.
double gain_of_hub(std::map<std::string, double> seconds) {
  const double hub = seconds.extract(hub_method).mapped();
  return std::ranges::min_element(seconds, {}, [](const auto& one) { return one.second; })->second / hub;
}

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE("hub map: a hub with a fat port is first with non-iid labels, gossip with iid ones") {
    CHECK(gain_of_hub(seconds_with("by-label")) > 1.5);
    CHECK(gain_of_hub(seconds_with("iid")) < 0.8);
  }
}

}  // namespace hearsay::hub_map_test
