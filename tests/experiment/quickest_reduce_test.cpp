#include "runtime/experiment/quickest_reduce.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <string>

#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::test::quickest_reduce_test {

namespace {

/// A run of one iteration without computing on `peers` peers.
Experiment<float> summing(const std::string& method, PeerId peers, const std::string& network,
                          const std::string& reduce = "auto") {
  return experiment_from<float>(
      "run.iterations = 1\nmodel.kind = \"mlp(64)\"\ndata.source = \"synthetic(samples=200, features=20, "
      "classes=4)\"\ntopology = { kind = \"ring\", peers = " +
      std::to_string(peers) + " }\nalgorithm = { kind = \"" + method + "\", reduce = \"" + reduce + "\" }\n" +
      network);
}

std::string chosen(const std::string& method, PeerId peers, const std::string& network) {
  return summing(method, peers, network).settings.algorithm.options[option::reduce];
}

ReduceTimes times_of(const Experiment<float>& experiment) {
  return *reduce_times(experiment.settings, experiment.problem.objectives.front()->segments());
}

/// How long a port of 10 Mbit/s is busy with the whole model.
double longest_message_seconds(const Experiment<float>& experiment) {
  return (64.0 + 4.0 * static_cast<double>(experiment.problem.dimension())) / 1.25e6;
}

}  // namespace

TEST_CASE("quickest reduce: latency wants few steps, bandwidth few bytes, and no network the fewest bytes") {
  for (const char* method : {"allreduce-sgd", "local-sgd", "diloco", "slowmo", "powersgd"}) {
    CAPTURE(method);
    CHECK(chosen(method, 8, "network.latency = \"20 ms\"\n") == "doubling");
    CHECK(chosen(method, 8, "network.bandwidth = \"100 kbit/s\"\n") == "ring");
    CHECK(chosen(method, 8, "") == "ring");
    CHECK(chosen(method, 1, "network.latency = \"20 ms\"\n") == "ring");
  }
}

TEST_CASE("quickest reduce: one slow link of the ring is enough, and one of the other way, too") {
  const std::string fast = "network.bandwidth = \"1 Gbit/s\"\nnetwork.latency = \"1 us\"\n";
  CHECK(chosen("allreduce-sgd", 8, fast + "[[network.link]]\nfrom = 7\nto = 0\nlatency = \"1 s\"\n") ==
        "doubling");
  CHECK(chosen("allreduce-sgd", 8,
               "network.latency = \"1 ms\"\n[[network.link]]\nfrom = 0\nto = 4\nlatency = \"1 s\"\n") ==
        "ring");
}

TEST_CASE("quickest reduce: the forecast is the time of an iteration without computing") {
  const std::string network =
      "network = { bandwidth = \"10 Mbit/s\", latency = \"5 ms\", compute = \"0 s\" }\n";
  for (const char* method : {"allreduce-sgd", "powersgd"})
    for (const PeerId peers : {2, 3, 4, 5, 6, 8})
      for (const bool doubling : {false, true}) {
        CAPTURE(method);
        CAPTURE(peers);
        CAPTURE(doubling);
        const auto experiment = summing(method, peers, network, doubling ? "doubling" : "ring");
        const ReduceTimes times = times_of(experiment);
        const int sums = std::string(method) == "powersgd" ? 2 : 1;
        const double forecast = seconds(doubling ? times.doubling : times.ring);
        const double simulated = simulate(experiment, Duration{0}).seconds;
        // All chunks of the ring count as the longest: one scalar more in each step.
        const double scalars = 4.0 * 2 * (peers - 1) / 1.25e6 * sums;
        // In a fold a peer hears two messages at a time, and sends two after the last swap.
        const double shared_ports =
            doubling && !std::has_single_bit(peers) ? sums * 2 * longest_message_seconds(experiment) : 0.0;
        CHECK(simulated >= forecast - (doubling ? 1e-9 : scalars));
        CHECK(simulated <= forecast + shared_ports + 1e-9);
      }
}

TEST_CASE("quickest reduce: methods that gather packets, or gossip, have no such sums") {
  const auto experiment = experiment_from<float>("algorithm.kind = \"d-psgd\"\nrun.iterations = 1\n");
  CHECK_FALSE(reduce_times(experiment.settings, experiment.problem.objectives.front()->segments()));
}

}  // namespace hearsay::test::quickest_reduce_test
