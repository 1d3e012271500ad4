#include "runtime/experiment/quickest_reduce.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::test::quickest_reduce_test {

namespace {

/// A run of few iterations on `peers` peers.
Experiment<float> summing(const std::string& method, PeerId peers, const std::string& network,
                          const std::string& reduce = "auto", int iterations = 1) {
  return experiment_from<float>(
      "run.iterations = " + std::to_string(iterations) +
      "\nrun.evaluate_every = " + std::to_string((iterations + 1) / 2) +
      "\nmodel.kind = \"mlp(64)\"\ndata.source = \"synthetic(samples=200, features=20, "
      "classes=4)\"\ntopology = { kind = \"complete\", peers = " +
      std::to_string(peers) + " }\nalgorithm = { kind = \"" + method + "\", reduce = \"" + reduce + "\" }\n" +
      network);
}

std::string chosen(const std::string& method, PeerId peers, const std::string& network) {
  return summing(method, peers, network).settings.algorithm.options[option::reduce];
}

ReduceTimes times_of(const Experiment<float>& experiment) {
  return *reduce_times(experiment.settings, experiment.problem.objectives.front()->segments());
}

/// How long a port of 10 Mbit/s is busy with so many floats.
double message_seconds(Index floats) { return (64.0 + 4.0 * static_cast<double>(floats)) / 1.25e6; }

/// A network in which no two peers have the same ports, and some links a latency or a bandwidth of their own.
/// So no two messages are due at the same instant.
std::string drawn_network(RandomStream& random, PeerId peers) {
  const auto up_to = [&](std::uint64_t most) { return std::to_string(1 + random.below(most)); };
  const auto bandwidth = [&] {
    return "\"" + up_to(20'000) + (random.below(3) == 0 ? "00" : "") + " kbit/s\"";
  };
  const auto latency = [&] { return "\"" + up_to(20'000) + (random.below(3) == 0 ? "0" : "") + " us\""; };
  std::string text = "network.compute = \"0 s\"\n";
  for (PeerId peer = 0; peer < peers; ++peer)
    text += "[[network.peer]]\nid = " + std::to_string(peer) + "\nbandwidth_up = " + bandwidth() +
            "\nbandwidth_down = " + bandwidth() + "\nlatency = " + latency() + "\ncompute = \"0 s\"\n";
  for (PeerId from = 0; from < peers; ++from)
    for (PeerId to = 0; to < peers; ++to)
      if (from != to && random.below(5) == 0)
        text += "[[network.link]]\nfrom = " + std::to_string(from) + "\nto = " + std::to_string(to) +
                "\nlatency = " + latency() + (random.below(2) ? "\nbandwidth = " + bandwidth() : "") + "\n";
  return text;
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
        const double forecast = doubling ? times.doubling : times.ring;
        const double simulated = simulate(experiment, Duration{0}).seconds;
        // All chunks of the ring count as the longest: one scalar more in each step.
        const double scalars = 4.0 * 2 * (peers - 1) / 1.25e6 * sums;
        // After a fold a peer hears two messages at the same instant: either may pass its port first.
        const double shared_ports = doubling && !std::has_single_bit(peers)
                                        ? sums * 2 * message_seconds(experiment.problem.dimension())
                                        : 0.0;
        CHECK(simulated >= forecast - (doubling ? 1e-9 : scalars));
        CHECK(simulated <= forecast + shared_ports + 1e-9);
      }
}

TEST_CASE(
    "quickest reduce: the forecast is the time of an iteration among others, whatever links differ in") {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    RandomStream random(seed, 0, 0, Purpose::network);
    const auto peers = static_cast<PeerId>(2 + random.below(11));
    const std::string network = drawn_network(random, peers);
    CAPTURE(network);
    for (const char* method : {"allreduce-sgd", "powersgd"})
      for (const bool doubling : {false, true}) {
        CAPTURE(method);
        CAPTURE(doubling);
        const auto experiment = summing(method, peers, network, doubling ? "doubling" : "ring", 40);
        const auto evaluations = simulate(experiment, Duration{0}).evaluations;
        const double simulated = (evaluations.back().seconds - evaluations[1].seconds) / 20;
        const ReduceTimes times = times_of(experiment);
        // The way round counts all chunks as equally long; doubling may settle later than in one iteration.
        if (doubling)
          CHECK(times.doubling == doctest::Approx(simulated).epsilon(0.15));
        else
          CHECK(times.ring == doctest::Approx(simulated).epsilon(0.02));
      }
  }
}

TEST_CASE("quickest reduce: with one long link the ring may still be sooner") {
  const auto experiment = summing("allreduce-sgd", 16,
                                  "network.bandwidth = \"10 Mbit/s\"\nnetwork.latency = \"10 us\"\n"
                                  "[[network.link]]\nfrom = 7\nto = 8\nlatency = \"500 us\"\n");
  const ReduceTimes times = times_of(experiment);
  CHECK(times.quickest() == "ring");
  const double chunk = message_seconds((experiment.problem.dimension() + 15) / 16);
  CHECK(times.ring == doctest::Approx(30 * (chunk + 10e-6 + 490e-6 / 16)));
  CHECK(times.doubling == doctest::Approx(4 * (message_seconds(experiment.problem.dimension()) + 10e-6)));
}

TEST_CASE("quickest reduce: methods that gather packets, or gossip, have no such sums") {
  const auto experiment = experiment_from<float>("algorithm.kind = \"d-psgd\"\nrun.iterations = 1\n");
  CHECK_FALSE(reduce_times(experiment.settings, experiment.problem.objectives.front()->segments()));
}

}  // namespace hearsay::test::quickest_reduce_test
