#include "runtime/record/waiting_times.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "runtime/record/slowest_link.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::waiting_times_test {

using namespace std::chrono_literals;

namespace {

Instant at(Duration since_begin) { return Instant(since_begin); }

using Waits = std::vector<WaitingTimes::OfSource>;

std::vector<PeerOutcome> outcomes(const std::vector<Waits>& waits) {
  std::vector<PeerOutcome> peers(waits.size());
  for (std::size_t id = 0; id < waits.size(); ++id) {
    peers[id].meters.waits = WaitingTimes(waits[id]);
    peers[id].meters.now = 100s;
  }
  return peers;
}

/// Returns a ring of eight: gradients of about 2 ms, links of 1 ms, and the lines `network` on top.
Experiment<double> ring_of_8(const std::string& network = "") {
  return experiment_from<double>(
      "run.iterations = 50\nmodel.kind = \"quadratic(20)\"\n"
      "topology = { kind = \"ring\", peers = 8 }\n"
      "algorithm = { kind = \"d-psgd\", batch = \"full\" }\n"
      "[network]\nlatency = \"1 ms\"\ncompute = \"lognormal(2 ms, 0.3)\"\n" +
      network);
}

}  // namespace

TEST_CASE("waiting times: a wait belongs to the source whose message came last, and another begins there") {
  WaitingTimes waits;
  waits.ended_by(4, at(1s), false);  // there was no wait
  CHECK(waits.by_source().empty());
  waits.begin(at(2s));
  waits.begin(at(3s));  // it waits already
  waits.ended_by(4, at(5s), true);
  waits.ended_by(1, at(6s), false);  // one message after the other
  waits.ended_by(1, at(8s), false);  // it computed in between, so there was no wait
  waits.begin(at(10s));
  waits.ended_by(4, at(10s), false);
  CHECK(waits.by_source() == Waits{{1, 1s}, {4, 3s}});
}

TEST_CASE("waiting times: those of an earlier life are added to") {
  WaitingTimes waits(Waits{{3, 8s}});
  waits.begin(at(1s));
  waits.ended_by(3, at(3s), false);
  CHECK(waits.by_source() == Waits{{3, 10s}});
}

TEST_CASE("slowest link: nobody waited, no link") {
  CHECK_FALSE(slowest_link({}));
  CHECK_FALSE(slowest_link(outcomes({{}, {{0, Duration{0}}}})));
}

TEST_CASE("slowest link: it is where the waits begin, not where the echo is longest") {
  // Peer 2 waits for 1; 1 and 0 wait for each other.
  const auto link = slowest_link(outcomes({{{1, 20s}}, {{0, 30s}, {2, 3s}}, {{1, 40s}}}));
  REQUIRE(link);
  CHECK(link->from == 0);
  CHECK(link->to == 1);
  CHECK(link->waited == 30s);
  CHECK(link->share_of_time == doctest::Approx(0.3));
}

TEST_CASE("slowest link: of a peer that waits for nobody it is the link at which most is waited for it") {
  const auto link = slowest_link(outcomes({{}, {{0, 30s}}, {{0, 31s}}, {{2, 50s}}}));
  REQUIRE(link);
  CHECK(link->from == 0);
  CHECK(link->to == 2);
}

TEST_CASE("slowest link: sources that are none of the peers are passed over") {
  CHECK_FALSE(slowest_link(outcomes({{{7, 5s}}})));
}

TEST_CASE("slowest link: the simulator names the one slow link of a ring, in virtual time") {
  Experiment<double> experiment = ring_of_8();
  // Both directions, as for a link of a topology file.
  for (const auto& [from, to] : {std::pair<PeerId, PeerId>{3, 4}, {4, 3}})
    experiment.settings.link_overrides.push_back({from, to, 40ms, std::nullopt});
  const RunOutcome<double> outcome = simulate(experiment, Duration{0});
  const auto link = slowest_link(outcome.peers);
  REQUIRE(link);
  CHECK(std::min(link->from, link->to) == 3);
  CHECK(std::max(link->from, link->to) == 4);
  CHECK(link->share_of_time > 0.8);
  CHECK(link->share_of_time <= 1.0);
}

TEST_CASE("slowest link: of a slow peer it is one of its links") {
  const RunOutcome<double> outcome =
      simulate(ring_of_8("[[network.peer]]\nid = 5\ncompute = \"20 ms\"\n"), Duration{0});
  const auto link = slowest_link(outcome.peers);
  REQUIRE(link);
  CHECK(link->from == 5);
}

TEST_CASE("waiting times: in the simulator they add up to the time that peers waited for messages") {
  for (const char* method : {"d-psgd", "allreduce-sgd", "naive"}) {
    CAPTURE(method);
    Experiment<double> experiment = quadratic_experiment<double>(method, "complete", 5, 20);
    experiment.settings.network.latency = 3ms;
    const RunOutcome<double> outcome = simulate(experiment, Duration{0});
    for (const PeerOutcome& peer : outcome.peers) {
      Duration sum{0};
      for (const auto& [source, waited] : peer.meters.waits.by_source()) sum += waited;
      CHECK(sum > Duration{0});
      CHECK(sum == peer.meters.wait);
    }
  }
}

}  // namespace hearsay::waiting_times_test
