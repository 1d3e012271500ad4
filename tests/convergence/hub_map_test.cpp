// The claims of the README on a hub, at one of the networks of bench/sweeps/hub.toml.
#include <algorithm>
#include <array>

#include "tests/convergence/map_times.hpp"

namespace hearsay::hub_map_test {

namespace {

const std::string hub_method = "hub: GenQSGD, 4 bit both ways";

/// Of a hub method and the best gossip at 10 Mbit/s and 100 ms, with a port of the hub of 100 Mbit/s, and the
/// step size that the map chooses for all of them.
std::map<std::string, double> seconds_with(const std::string& partition, const std::string& seed) {
  return test::seconds_to_target(
      "hub.toml",
      {"sweep.network.bandwidth=[\"10 Mbit/s\"]", "sweep.network.latency=[\"100 ms\"]",
       "sweep.network.peer=[[{ id = 0, bandwidth = \"100 Mbit/s\" }]]",
       "sweep.data.partition=[\"" + partition + "\"]", "sweep.algorithm.step_size=[0.4, 0.8]",
       "run.seed=" + seed},
      {hub_method, "CHOCO, 1 bit, 4 local steps", "SparseLoCo, Rice indices", "DCD, 4 bit"});
}

/// How many times sooner the hub method is at the target than the best gossip.
double gain_of_hub(std::map<std::string, double> seconds) {
  const double hub = seconds.extract(hub_method).mapped();
  return std::ranges::min_element(seconds, {}, [](const auto& one) { return one.second; })->second / hub;
}

/// The median over three seeds: a run reaches its target at an evaluation, so a single one may be some 10 %
/// sooner or later than another.
double median_gain_of_hub(const std::string& partition) {
  std::array<double, 3> gains;
  for (std::size_t k = 0; k < gains.size(); ++k)
    gains[k] = gain_of_hub(seconds_with(partition, std::to_string(k + 1)));
  std::ranges::sort(gains);
  return gains[1];
}

}  // namespace

TEST_SUITE("slow") {
  TEST_CASE("hub map: a hub with a fat port is first with non-iid labels, gossip with iid ones") {
    CHECK(median_gain_of_hub("by-label") > 1.5);
    CHECK(median_gain_of_hub("iid") < 0.8);
  }
}

}  // namespace hearsay::hub_map_test
