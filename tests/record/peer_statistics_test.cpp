#include "runtime/record/peer_statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::test::peer_statistics_test {

using Json = nlohmann::ordered_json;

namespace {

/// Returns the least number of which so many percent of all are not above it, by counting.
template <class Number>
Number counted_quantile(std::vector<Number> values, std::size_t percent) {
  std::ranges::sort(values);
  for (std::size_t k = 0; k < values.size(); ++k)
    if (100 * (k + 1) >= percent * values.size()) return values[k];
  return values.back();
}

template <class Number>
void check_column(const Json& record, const std::vector<Number>& values, bool least_first) {
  for (const Quantile& quantile : quantiles) {
    CAPTURE(quantile.name);
    CHECK(record[quantile.name].get<Number>() == counted_quantile(values, quantile.percent));
  }
  CHECK(record["total"].get<Number>() == std::accumulate(values.begin(), values.end(), Number{0}));
  std::vector<PeerId> ids(values.size());
  std::iota(ids.begin(), ids.end(), PeerId{0});
  std::ranges::stable_sort(ids, [&](PeerId one, PeerId other) {
    return least_first ? values[one] < values[other] : values[one] > values[other];
  });
  ids.resize(std::min<std::size_t>(10, ids.size()));
  CHECK(record["worst"].get<std::vector<PeerId>>() == ids);
}

/// A run of so many peers, of which no two take the same time.
Experiment<float> uneven_ring(PeerId peers) {
  return experiment_from<float>(
      "run = { iterations = 3, evaluate_every = 3 }\nmodel.kind = \"quadratic(2)\"\n"
      "topology = { kind = \"ring\", peers = " +
      std::to_string(peers) +
      " }\nalgorithm = { kind = \"d-psgd\", batch = \"full\" }\n"
      "network = { compute = \"lognormal(20 ms, 0.3)\", bandwidth = \"1 Mbit/s\", latency = \"5 ms\" }\n");
}

}  // namespace

TEST_CASE("peer statistics: quantiles are those of a sort, totals are sums, and the worst are the worst") {
  RandomStream random(7, 0, 0, Purpose::data);
  for (const std::size_t peers : {1, 2, 9, 10, 11, 99, 100, 101, 1001, 4096}) {
    for (const std::uint64_t most : {0, 1, 3, 1'000'000}) {
      CAPTURE(peers);
      CAPTURE(most);
      std::vector<std::uint64_t> counts(peers);
      std::vector<double> times(peers);
      for (std::uint64_t& count : counts) count = random.below(most + 1);
      for (double& time : times) time = 0.125 * static_cast<double>(random.below(most + 1));
      const std::vector<PeerColumn> columns = {
          {"garbage", counts}, {"iterations", counts}, {"wait_seconds", times}};
      const Json record = peer_statistics(peers, columns, {});
      CHECK(record["peers"] == peers);
      check_column(record["columns"]["garbage"], counts, false);
      check_column(record["columns"]["iterations"], counts, true);
      check_column(record["columns"]["wait_seconds"], times, false);
    }
  }
}

TEST_CASE("peer statistics: each peer that is among the worst of a column has a record, and no other has") {
  std::vector<std::uint64_t> garbage(2000);
  std::vector<std::uint64_t> iterations(2000, 100);
  for (std::size_t k = 0; k < 5; ++k) garbage[1999 - 3 * k] = 7;
  iterations[1000] = 99;
  const std::vector<PeerColumn> columns = {{"garbage", garbage}, {"iterations", iterations}};
  const Json record = peer_statistics(2000, columns, {});
  std::vector<PeerId> ids;
  for (const Json& peer : record["worst"]) {
    ids.push_back(peer["peer"]);
    CHECK(peer["garbage"] == garbage[ids.back()]);
    CHECK(peer["iterations"] == iterations[ids.back()]);
  }
  CHECK(ids == std::vector<PeerId>{0, 1, 2, 3, 4, 5, 6, 7, 8, 1000, 1987, 1990, 1993, 1996, 1999});
}

TEST_CASE("peer statistics: links have one row each, the bytes of one end and the waits of the other") {
  std::vector<PeerMeters> peers(3);
  peers[0].sent_to = SentBytes({{1, 70}});
  peers[0].waits = WaitingTimes({{1, std::chrono::milliseconds(500)}});
  peers[1].sent_to = SentBytes({{0, 90}, {2, 80}});
  peers[1].waits = WaitingTimes({{0, std::chrono::milliseconds(2000)}});
  const std::vector<LinkUse> links = link_uses(peers);
  const Json record = peer_statistics(3, {}, links)["links"];
  CHECK(record["count"] == 3);
  CHECK(record["bytes"]["total"] == 240);
  CHECK(record["wait_seconds"]["total"] == 2.5);
  CHECK(record["longest_waits"] == Json::parse("[[0,1,2.0,70],[1,0,0.5,90],[1,2,0.0,80]]"));
  CHECK(record["map"] == Json::parse(R"({"side":1,"blocks":3,
      "cells":[[0,1,2.0,70.0,1],[1,0,0.5,90.0,1],[1,2,0.0,80.0,1]]})"));
}

TEST_CASE("summary: 1,000 peers are listed, of more there are statistics, with the same numbers") {
  const auto few = uneven_ring(1000);
  const Json listed = summarize(few, simulate(few, Duration{0}), Driver::simulator);
  CHECK(listed["schema"] == 1);
  CHECK(listed["per_peer"].size() == 1000);
  CHECK(listed["model_digest"].size() == 1000);
  CHECK_FALSE(listed.contains("peer_statistics"));

  const auto many = uneven_ring(1001);
  const RunOutcome<float> outcome = simulate(many, Duration{0});
  const Json summary = summarize(many, outcome, Driver::simulator);
  CHECK(summary["schema"] == 2);
  CHECK_FALSE(summary.contains("per_peer"));
  CHECK(summary["model_digest"].is_string());
  const Json& statistics = summary["peer_statistics"];
  CHECK(statistics["peers"] == 1001);
  CHECK(statistics["columns"]["bytes_sent"]["total"] == summary["bytes_sent"]);
  CHECK(statistics["columns"]["gossip_rounds"]["most"] == summary["gossip_rounds"]);
  CHECK(statistics["columns"].size() == listed["per_peer"][0].size() - 3);  // peer, waited_for, sent_to
  std::vector<double> waits;
  for (const PeerOutcome& peer : outcome.peers) waits.push_back(seconds(peer.meters.wait));
  REQUIRE(std::ranges::max(waits) > std::ranges::min(waits));
  check_column(statistics["columns"]["wait_seconds"], waits, false);
  for (const Json& peer : statistics["worst"])
    CHECK(peer["wait_seconds"] == waits[peer["peer"].get<PeerId>()]);
  CHECK(statistics["links"]["count"] == 2002);
  CHECK(statistics["links"]["bytes"]["total"] == summary["bytes_sent"]);
  CHECK(statistics["links"]["longest_waits"].size() == 128);
  CHECK(json_text(summary, 2).size() < 200'000);
}

TEST_CASE("summary: one digest stands for the models of many peers") {
  const auto many = uneven_ring(1001);
  RunOutcome<float> outcome = simulate(many, Duration{0});
  const auto digest_of = [&] { return summarize(many, outcome, Driver::simulator)["model_digest"]; };
  const Json digest = digest_of();
  CHECK(digest == digest_of());
  std::swap(outcome.peers[3].model_digest, outcome.peers[4].model_digest);
  CHECK(digest != digest_of());
}

}  // namespace hearsay::test::peer_statistics_test
