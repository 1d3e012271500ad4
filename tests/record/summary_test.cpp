#include "runtime/record/summary.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::summary_test {

namespace {

/// Peer 0 and peer 1 hold replicas of each other.
std::vector<PeerOutcome> two_peers() {
  std::vector<PeerOutcome> peers(2);
  peers[0].digests = {.published = 10, .replicas = {{1, 11}}};
  peers[1].digests = {.published = 11, .replicas = {{0, 10}}};
  return peers;
}

}  // namespace

TEST_CASE("summary: replicas are consistent when every holder's digest is the owner's") {
  std::vector<PeerOutcome> peers = two_peers();
  CHECK(replicas_consistent(peers) == true);
  peers[1].digests.replicas[0].second = 12;
  CHECK(replicas_consistent(peers) == false);
  peers = two_peers();
  peers[0].digests.published.reset();
  CHECK(replicas_consistent(peers) == false);
  peers = two_peers();
  peers[1].iterations = 1;
  CHECK(replicas_consistent(peers) == std::nullopt);
  CHECK(replicas_consistent(std::vector<PeerOutcome>(2)) == std::nullopt);
  CHECK(replicas_consistent({}) == std::nullopt);
}

TEST_CASE("summary: a copy of a peer that is gone is no replica of anybody") {
  std::vector<PeerOutcome> peers = two_peers();
  peers[0].digests.replicas.emplace_back(2, 13);  // peer 0 had ended before peer 2 was lost
  peers.emplace_back().gone = true;
  CHECK(replicas_consistent(peers) == true);
  peers[0].digests.replicas[0].second = 12;
  CHECK(replicas_consistent(peers) == false);
}

TEST_CASE("summary: where links change, a replica is consistent with what its owner last told its holder") {
  std::vector<PeerOutcome> peers = two_peers();
  peers[0].digests.told = {{1, 7}};
  CHECK(replicas_consistent(peers) == false);  // holds what the owner publishes now, not what it told
  peers[1].digests.replicas[0].second = 7;
  CHECK(replicas_consistent(peers) == true);
  peers[0].digests.told = {{2, 7}};
  CHECK(replicas_consistent(peers) == false);  // the owner never told it anything
}

TEST_CASE("summary: what a diverged run cannot know is null") {
  const auto experiment = quadratic_experiment<float>("d-psgd", "ring", 3, 4);
  RunOutcome<float> outcome = simulate(experiment, Duration{0});
  outcome.status = RunStatus::diverged;
  outcome.reason = "the model left the finite range (peer 1, iteration 3)";
  outcome.evaluations.back().loss = std::numeric_limits<double>::infinity();
  const auto summary = summarize(experiment, outcome, Driver::simulator);
  for (const char* key : {"loss", "accuracy", "consensus_distance", "replicas_consistent"}) {
    CAPTURE(key);
    CHECK(summary[key].is_null());
  }
  CHECK(summary["reason"] == outcome.reason);
}

TEST_CASE("summary: a peer that told no result, since the run was lost, has no digest of its model") {
  const auto experiment = quadratic_experiment<float>("d-psgd", "ring", 3, 4);
  RunOutcome<float> outcome = simulate(experiment, Duration{0});
  outcome.status = RunStatus::lost;
  outcome.peers[1] = {};
  const auto summary = summarize(experiment, outcome, Driver::zmq);
  CHECK(summary["model_digest"][0].is_string());
  CHECK(summary["model_digest"][1].is_null());
}

TEST_CASE("summary: it names the congestion controls of all peers, and none of a simulation") {
  const auto experiment = quadratic_experiment<float>("d-psgd", "ring", 3, 4);
  RunOutcome<float> outcome = simulate(experiment, Duration{0});
  CHECK(summarize(experiment, outcome, Driver::simulator)["congestion"].is_null());
  outcome.peers[0].congestions = {"cubic", "reno"};
  outcome.peers[2].congestions = {"bbr", "reno"};
  CHECK(summarize(experiment, outcome, Driver::zmq)["congestion"] ==
        nlohmann::ordered_json({"bbr", "cubic", "reno"}));
}

TEST_CASE("summary: bytes that are no UTF-8 are written as U+FFFD, never thrown") {
  CHECK(json_text({{"reason",
                    "a\xff"
                    "b"}}) ==
        "{\"reason\":\"a\xef\xbf\xbd"
        "b\"}");
}

TEST_CASE("summary: lost peers leave the last evaluation's totals") {
  const auto experiment = quadratic_experiment<float>("d-psgd", "ring", 3, 4);
  RunOutcome<float> outcome = simulate(experiment, Duration{0});
  const std::uint64_t bytes = outcome.evaluations.back().bytes_sent;
  outcome.status = RunStatus::lost;
  outcome.peers.assign(3, PeerOutcome{});
  const auto summary = summarize(experiment, outcome, Driver::zmq);
  CHECK(summary["bytes_sent"] == bytes);
  CHECK(summary["iterations"] == 20);
  CHECK(summary["loss"] == outcome.evaluations.back().loss);
}

TEST_CASE(
    "summary: events say what happened to whom, in which iteration and second, as far as that is known") {
  const auto experiment = quadratic_experiment<float>("d-psgd", "ring", 3, 4);
  RunOutcome<float> outcome = simulate(experiment, Duration{0});
  CHECK(summarize(experiment, outcome, Driver::zmq)["events"] == nlohmann::ordered_json::array());
  outcome.events = {{RunEvent::What::lost, 2, 40, 1.5}, {RunEvent::What::program_restarted, 1, 55}};
  CHECK(summarize(experiment, outcome, Driver::zmq)["events"].dump() ==
        R"([{"what":"lost","peer":2,"iteration":40,"seconds":1.5},)"
        R"({"what":"program restarted","peer":1,"iteration":55,"seconds":null}])");
}

TEST_CASE("summary: a schedule that varies has no spectral gap") {
  const std::string text =
      "run.iterations = 4\nmodel.kind = \"quadratic(4)\"\nalgorithm.batch = \"full\"\n"
      "algorithm.kind = \"d-psgd\"\ntopology.kind = \"exponential\"\ntopology.peers = 8\n";
  const auto gap = [&](const std::string& schedule) {
    const auto experiment = experiment_from<double>(text + "topology.schedule = \"" + schedule + "\"\n");
    return summarize(experiment, simulate(experiment, Duration{0}), Driver::simulator)["spectral_gap"];
  };
  CHECK(gap("one-peer-exponential").is_null());
  CHECK(gap("static") == doctest::Approx(2.0 / 3.0));  // lambda_2 = 1/3
}

}  // namespace hearsay::summary_test
