#include "runtime/experiment/traffic_forecast.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::traffic_forecast_test {

namespace {

/// Runs the experiment and compares what every peer sent with the forecast.
template <class Scalar>
void check_forecast(const std::string& text) {
  CAPTURE(text);
  const auto experiment = experiment_from<Scalar>(text);
  const TrafficForecast forecast = forecast_traffic(experiment);
  const RunOutcome<Scalar> outcome = simulate(experiment, Duration{0});
  REQUIRE(forecast.peers.size() == outcome.peers.size());
  for (std::size_t id = 0; id < outcome.peers.size(); ++id) {
    CAPTURE(id);
    if (experiment.method->asynchronous && !forecast.exact)
      CHECK(outcome.peers[id].meters.messages_sent <= forecast.peers[id].messages);
    else
      CHECK(outcome.peers[id].meters.messages_sent == forecast.peers[id].messages);
    if (forecast.exact)
      CHECK(outcome.peers[id].meters.bytes_sent == forecast.peers[id].bytes);
    else
      CHECK(outcome.peers[id].meters.bytes_sent <= forecast.peers[id].bytes);
  }
}

std::string run_of(const std::string& method, const std::string& family, int peers, int iterations) {
  return "run.evaluate_every = 4\nmodel.kind = \"quadratic(13)\"\nalgorithm.batch = \"full\"\n"
         "algorithm.allow_unsound = true\nalgorithm.kind = \"" +
         method + "\"\ntopology.kind = \"" + family + "\"\ntopology.peers = " + std::to_string(peers) +
         "\nrun.iterations = " + std::to_string(iterations) + "\n";
}

}  // namespace

TEST_CASE("traffic: every method sends what was foretold, on regular graphs and on others") {
  for (const MethodInfo& method : methods())
    for (const std::string family : {"auto", "star"})
      for (const int peers : {1, 2, 3, 5}) {  // 13 is a multiple of 1 only
        check_forecast<float>(run_of(method.name, family, peers, 6));
        check_forecast<double>(run_of(method.name, family, peers, 6));
      }
}

TEST_CASE("traffic: foretold on a tree below a hub") {
  for (const MethodInfo& method : methods()) {
    if (!method.permits_tree) continue;
    for (const std::string family : {"hub-tree(1)", "hub-tree(3)"})
      for (const int iterations : {1, 6, 70}) {
        const std::string run = run_of(method.name, family, 11, iterations);
        check_forecast<float>(run);
        check_forecast<double>(run + "topology.hub = \"dedicated\"\n");
        if (!method.permits_time_varying) continue;
        check_forecast<float>(run + "topology.participation = 0.4\n");
        check_forecast<double>(run + "topology.participation = 0.3\ntopology.hub = \"dedicated\"\n");
      }
  }
}

TEST_CASE("traffic: foretold under time-varying schedules, whole periods or not") {
  for (const MethodInfo& method : methods())
    if (method.pattern.has_hub && method.permits_time_varying)
      for (const int iterations : {1, 6, 70})
        check_forecast<float>(run_of(method.name, "star", 7, iterations) + "topology.participation = 0.4\n");
  for (const int iterations : {1, 6, 20})
    for (const std::string schedule : {"one-peer-exponential", "hypercube-matchings", "random-matchings"})
      check_forecast<float>(run_of("d-psgd", "complete", 8, iterations) + "topology.schedule = \"" +
                            schedule + "\"\n");
  check_forecast<float>(run_of("d-psgd", "path", 5, 7) + "topology.schedule = \"random-matchings\"\n");
  for (const std::string schedule : {"static", "base(3)", "dealt-links(4)"})
    check_forecast<float>(run_of("d-psgd", "complete", 7, 70) + "topology.schedule = \"" + schedule +
                          "\"\ntopology.participation = 0.6\n");
}

TEST_CASE("traffic: foretold of replicas that catch up at meetings, packets or the whole vector") {
  for (const std::string method : {"dcd-psgd", "ecd-psgd", "choco-sgd", "choco-gossip"})
    for (const int iterations : {1, 2, 33}) {
      for (const std::string world : {"exponential", "complete"})
        check_forecast<float>(run_of(method, world, 8, iterations) +
                              "topology.schedule = \"one-peer-exponential\"\n");
      // A packet takes 13 + 4 bytes and the vector 52, so a neighbor catches up with at most three packets.
      for (const std::string schedule : {"random-matchings", "base(3)", "dealt-links(4)", "dealt-links(10)"})
        for (const std::string participation : {"1.0", "0.6"})
          for (const std::string compressor : {"dither(linf, bits=8)", "none", "topk(10%)"})
            check_forecast<double>(run_of(method, "complete", 7, iterations) + "topology.schedule = \"" +
                                   schedule + "\"\ntopology.participation = " + participation +
                                   "\nalgorithm.compressor = \"" + compressor + "\"\n");
    }
  for (const std::string schedule : {"static", "one-peer-exponential"})
    check_forecast<float>(run_of("ecd-psgd", "exponential", 8, 40) + "topology.schedule = \"" + schedule +
                          "\"\nalgorithm.restart_every = 5\nalgorithm.compressor = \"dither(linf, "
                          "bits=4)\"\n");
  check_forecast<float>(run_of("ecd-psgd", "ring", 6, 40) +
                        "topology.participation = 0.5\nalgorithm.restart_every = 5\nalgorithm.compressor = "
                        "\"dither(linf, bits=4)\"\n");
  const std::string quiet = run_of("choco-sgd", "exponential", 8, 40) +
                            "topology.schedule = \"one-peer-exponential\"\nalgorithm.trigger = 10.0\n";
  CHECK_FALSE(forecast_traffic(experiment_from<float>(quiet)).exact);
  check_forecast<float>(quiet);
}

TEST_CASE("traffic: one-peer-exponential with 8-bit DCD, by hand") {
  // The hops 1, 2, 4 repeat. In iterations 1, 2, 3 the hearer has missed 0, 1 and 2 packets, then 3 each
  // time. A message takes 8 bytes, and 13 + 4 (one norm) + 4 for each packet, but at most the vector's 52 +
  // 4.
  const std::string text = run_of("dcd-psgd", "exponential", 8, 7) +
                           "topology.schedule = \"one-peer-exponential\"\nalgorithm.compressor = "
                           "\"dither(linf, bits=8, bucket=512)\"\n";
  const std::uint64_t packet = 13 + 4 + 4;
  CHECK(forecast_traffic(experiment_from<float>(text)).total_bytes() ==
        8 * (7 * (64 + 8) + packet + 2 * packet + 4 * (4 + 52)));
  check_forecast<float>(text);
}

TEST_CASE("traffic: dpsvrg's is foretold whatever its epochs, rounds and schedule") {
  const std::vector<std::string> plans = {"inner_length = 4, inner_growth = 1, consensus = 3",
                                          "inner_length = 3, inner_growth = 1.5, consensus = \"k\"",
                                          "estimator = \"saga\", consensus = \"min(k, 5)\""};
  for (const std::string& plan : plans)
    for (const int iterations : {1, 6, 45})
      for (const std::string schedule : {"static", "random-matchings", "dealt-links(4)"})
        for (const std::string participation : {"1.0", "0.6"}) {
          const std::string text = "run = { evaluate_every = 4, iterations = " + std::to_string(iterations) +
                                   " }\nmodel.kind = \"quadratic(5)\"\ntopology = { kind = \"grid(3x2)\", " +
                                   "peers = 6, schedule = \"" + schedule +
                                   "\", participation = " + participation +
                                   " }\nalgorithm = { kind = \"dpsvrg\", batch = \"full\", " + plan + " }\n";
          check_forecast<float>(text);
        }
}

TEST_CASE("traffic: dpsvrg's is added up by epochs, for more iterations than could be gone through") {
  constexpr std::uint64_t many = 1'000'000'000'000;
  const auto messages = [](const std::string& options) {
    auto experiment = experiment_from<float>(run_of("dpsvrg", "ring", 4, 1) + options);
    experiment.iterations = many;
    const PeerTraffic traffic = forecast_traffic(experiment).peers.front();
    CHECK(traffic.bytes == traffic.messages * (64 + 13 * 4));
    return traffic.messages;
  };
  const std::string even = "algorithm.inner_length = 4\nalgorithm.inner_growth = 1\n";
  CHECK(messages(even + "algorithm.consensus = \"min(k, 3)\"\n") == many / 4 * 9 * 2);
  CHECK(messages("algorithm.consensus = 5\n") == many * 5 * 2);
  // 39 epochs begin, and the first iteration of each takes one round. All other iterations take two.
  CHECK(
      messages(
          "algorithm.inner_length = 1\nalgorithm.inner_growth = 2\nalgorithm.consensus = \"min(k, 2)\"\n") ==
      (2 * many - 39) * 2);
  CHECK(messages(even + "algorithm.consensus = 2\ntopology.participation = 0.6\n") < many * 2 * 2);
}

TEST_CASE("traffic: foretold with restarts, which send full precision") {
  for (const int iterations : {2, 3, 9, 10})
    check_forecast<float>(run_of("ecd-psgd", "ring", 4, iterations) +
                          "algorithm.restart_every = 3\nalgorithm.compressor = \"dither(linf, bits=4)\"\n");
}

TEST_CASE("traffic: a codec whose size depends on the data sends at most what was foretold") {
  const std::string text = run_of("ecd-psgd", "ring", 4, 10) + "algorithm.compressor = \"grid(0.01)\"\n";
  CHECK_FALSE(forecast_traffic(experiment_from<float>(text)).exact);
  check_forecast<float>(text);
}

TEST_CASE("traffic: in an asynchronous method a peer asks one, and answers all its neighbors at most") {
  // By hand: on a ring of 4, a peer sends a request and up to two answers per iteration.
  const TrafficForecast ring = forecast_traffic(experiment_from<float>(run_of("ad-psgd", "ring", 4, 5)));
  CHECK_FALSE(ring.exact);
  for (PeerId id = 0; id < 4; ++id) CHECK(ring.peers[id].messages == 15);
  CHECK(ring.total_bytes() == (64 + 13 * 4) * 60);
  CHECK(forecast_traffic(experiment_from<float>(run_of("ad-psgd", "ring", 1, 5))).exact);
}

TEST_CASE("traffic: steady where every peer sends the same in every iteration") {
  CHECK(forecast_traffic(experiment_from<float>(run_of("d-psgd", "ring", 4, 5))).steady);
  CHECK_FALSE(forecast_traffic(
                  experiment_from<float>(run_of("ecd-psgd", "ring", 4, 5) + "algorithm.restart_every = 3\n"))
                  .steady);
  // By hand: 2 messages of a 64-byte header and 13 floats, 4 peers, 5 iterations.
  CHECK(forecast_traffic(experiment_from<float>(run_of("d-psgd", "ring", 4, 5))).total_bytes() ==
        2 * (64 + 13 * 4) * 4 * 5);
}

}  // namespace hearsay::traffic_forecast_test
