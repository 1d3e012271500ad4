// The claims of the README's map, at one of its networks.
#include "tests/convergence/map_times.hpp"

namespace hearsay::slow_network_test {

namespace {

/// Of four variants at 10 Mbit/s and 5 ms, labels shared, with the step size that the map chooses for all of
/// them.
std::map<std::string, double> seconds_to_target() {
  return test::seconds_to_target(
      "slow-network.toml",
      {"sweep.network.bandwidth=[\"10 Mbit/s\"]", "sweep.network.latency=[\"5 ms\"]",
       "sweep.data.partition=[\"iid\"]", "sweep.algorithm.step_size=[0.4, 0.8]"},
      {"all-reduce", "CHOCO, 1 bit, 4 local steps", "SparseLoCo, Rice indices", "DCD, 4 bit"});
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

}  // namespace hearsay::slow_network_test
