#include "runtime/simulator/simulator.hpp"

#include <doctest/doctest.h>

#include "tests/support/experiments.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::simulator_test {

namespace {

/// 50,000 parameters, 8 peers, 10 Mbit/s and 5 ms, no compute time: the time of a run is the time of the
/// wire.
double seconds_per_iteration(const std::string& method, const std::string& more = "") {
  const auto experiment = experiment_from<float>(
      "run.iterations = 4\nrun.evaluate_every = 4\nmodel.kind = \"quadratic(50000)\"\n"
      "network = { bandwidth = \"10 Mbit/s\", latency = \"5 ms\", compute = \"0 s\" }\n"
      "topology = { kind = \"ring\", peers = 8 }\nalgorithm.kind = \"" +
      method + "\"\n" + more);
  return simulate(experiment, Duration{0}).seconds / 4;
}

}  // namespace

// The literals are worked out by hand: a frame is 64 bytes of header and its payload; 10 Mbit/s are 1.25
// bytes per microsecond.
TEST_CASE("simulator: all-reduce round the ring takes 14 sequential chunks of 25,000 bytes") {
  // 14 x (25,064 B / 1.25 B/us + 5 ms) = 14 x 25.0512 ms
  CHECK(seconds_per_iteration("allreduce-sgd") == doctest::Approx(0.3507168).epsilon(1e-12));
}

TEST_CASE("simulator: all-reduce by doubling takes 3 sequential messages of 200,000 bytes") {
  // 3 x (200,064 B / 1.25 B/us + 5 ms) = 3 x 165.0512 ms
  CHECK(seconds_per_iteration("allreduce-sgd", "algorithm.reduce = \"doubling\"\n") ==
        doctest::Approx(0.4951536).epsilon(1e-12));
}

TEST_CASE("simulator: D-PSGD takes two frames of 200,000 bytes, one latency") {
  // 2 x 200,064 B / 1.25 B/us + 5 ms
  CHECK(seconds_per_iteration("d-psgd") == doctest::Approx(0.3251024).epsilon(1e-12));
}

TEST_CASE("simulator: what a peer sends is counted link by link") {
  const auto experiment = experiment_from<float>(
      "run.iterations = 3\nmodel.kind = \"quadratic(1000)\"\nalgorithm.kind = \"d-psgd\"\n"
      "topology = { kind = \"star\", peers = 4 }\n");
  const auto peers = simulate(experiment, Duration{1000}).peers;
  const std::uint64_t bytes = 3 * (64 + 4 * 1000);  // three frames
  CHECK(peers[0].meters.sent_to.by_hearer() ==
        std::vector<SentBytes::ToHearer>{{1, bytes}, {2, bytes}, {3, bytes}});
  CHECK(peers[0].meters.bytes_sent == 3 * bytes);
  CHECK(peers[2].meters.sent_to.by_hearer() == std::vector<SentBytes::ToHearer>{{0, bytes}});
}

TEST_CASE("experiment: epochs become iterations, and more than anybody can wait for are refused") {
  const std::string data = "data.source = \"synthetic(samples=800, features=4, classes=3)\"\n";
  CHECK(experiment_from<float>(data + "run.epochs = 2\nalgorithm.batch = 10").iterations ==
        20);  // 800 / (10 x 8) a pass
  CHECK(experiment_from<float>(data + "run.epochs = 2\nalgorithm.batch = \"full\"").iterations == 2);
  CHECK_THROWS_WITH_AS(experiment_from<float>(data + "run.epochs = 1e300"),
                       "run.epochs = 1e+300: that is more than 10^15 iterations; nobody waits so long",
                       Misuse);
}

}  // namespace hearsay::simulator_test
