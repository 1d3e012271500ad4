#include <doctest/doctest.h>

#include <cstdlib>

#include "runtime/simulator/simulator.hpp"
#include "tests/process/twins.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::every_method_test {

TEST_SUITE("net") {
  TEST_CASE(
      "twin: every synchronous method on rings of 1, 2, 3 and 8 ends with the same bits on both drivers") {
    for (const MethodInfo& method : synchronous_methods()) {
      const Plan plan{.iterations = 10};
      for (const PeerId peers : {2, 8}) check_twins(quadratics_in<float>({"ring", peers}, method.name, plan));
      for (const PeerId peers : {1, 3})
        check_twins(quadratics_in<double>({"ring", peers}, method.name, plan));
    }
  }

  TEST_CASE("twin: a slow, jittery, lossy network changes no bit") {
    for (const MethodInfo& method : synchronous_methods()) {
      auto experiment = quadratics_in<float>({"ring", 8}, method.name, {.iterations = 8});
      experiment.settings.network.bandwidth_up = {1e5};
      experiment.settings.network.bandwidth_down = {5e4};
      experiment.settings.network.latency = std::chrono::milliseconds(2);
      experiment.settings.network.jitter = std::chrono::milliseconds(3);
      experiment.settings.network.message_loss = 0.02;
      experiment.settings.network.compute = {ComputeTime::Kind::lognormal, std::chrono::milliseconds(2), 0.5};
      const auto twins = check_twins(experiment);
      std::uint64_t lost = 0;
      for (PeerId id = 0; id < 8; ++id) {
        CHECK(twins.real.peers[id].meters.retransmitted == twins.simulated.peers[id].meters.retransmitted);
        lost += twins.real.peers[id].meters.retransmitted;
      }
      CHECK(lost > 0);
    }
  }

  TEST_CASE("twin: all methods on a9a, eight peers, by label") {
    const char* const data = std::getenv("HEARSAY_DATA_DIR");
    if (data == nullptr) {
      MESSAGE("skipped: the twin law on a9a (HEARSAY_DATA_DIR is not set)");
      return;
    }
    for (const MethodInfo& method : synchronous_methods())
      check_twins(
          experiment_from<float>("run = { iterations = 100, evaluate_every = 25 }\n"
                                 "data = { source = \"libsvm:" +
                                 std::string(data) +
                                 "/a9a.gz\", partition = \"by-label\" }\n"
                                 "model = { kind = \"logistic\", l2 = 1e-4 }\n"
                                 "topology = { kind = \"" +
                                 (method.pattern.has_hub ? "star" : "ring") +
                                 "\", peers = 8, weights = \"lazy\" }\n"
                                 "algorithm = { kind = \"" +
                                 method.name + "\", step_size = 0.5, batch = 32 }\n"));
  }
}

}  // namespace hearsay::test::every_method_test
