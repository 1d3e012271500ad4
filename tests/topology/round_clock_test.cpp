#include "topology/round_clock.hpp"

#include <doctest/doctest.h>

#include <string>

#include "topology/families.hpp"
#include "topology/gossip_forecast.hpp"

namespace hearsay::round_clock_test {

namespace {

/// Ports of 1,000 bytes a second and links of 10 ms.
PairwiseLinks slow_ports(PeerId peers) {
  PairwiseLinks links(peers);
  for (PeerId a = 0; a < peers; ++a) {
    links.port(a) = {1000.0, 1000.0};
    for (PeerId b = 0; b < peers; ++b)
      if (a != b) links.link(a, b).latency_s = 0.01;
  }
  return links;
}

double pace(const PairwiseLinks& links, const NeighborLists& neighbors, double bytes = 100.0) {
  return RoundClock(links, bytes).seconds_per_round(neighbors);
}

NeighborLists lists(const std::string& kind, PeerId peers) {
  return neighbor_lists(MixingMatrix::metropolis(make_graph(kind, peers, 1)));
}

}  // namespace

TEST_CASE("round clock: two peers exchange a message per round, which takes its bytes and the latency") {
  // 100 bytes at 1,000 bytes a second, once: a frame passes both ports at the same time.
  CHECK(pace(slow_ports(2), lists("path", 2)) == doctest::Approx(0.11));
}

TEST_CASE("round clock: the links of a peer share its port") {
  CHECK(pace(slow_ports(4), lists("complete", 4)) == doctest::Approx(3 * 0.1 + 0.01));
  // The hub of a star of 5 sends four messages while four come in.
  PairwiseLinks links = slow_ports(5);
  const double star = pace(links, lists("star", 5));
  CHECK(star == doctest::Approx(0.4));
  links.port(0) = {4000.0, 4000.0};
  CHECK(pace(links, lists("star", 5)) < 0.2);
}

TEST_CASE("round clock: a link's own bandwidth holds up the peers at its ends, and then all others") {
  PairwiseLinks links = slow_ports(6);
  links.link(2, 3).bytes_per_s = 50.0;
  CHECK(pace(links, lists("ring", 6)) == doctest::Approx(2.0).epsilon(0.02));
  CHECK(RoundClock(links, 100.0).least_seconds(lists("ring", 6)) == doctest::Approx(2.0));
  links.link(2, 3).bytes_per_s = PairwiseLinks::unlimited;
  CHECK(pace(links, lists("ring", 6)) < 0.25);
}

TEST_CASE("round clock: without bandwidths a round takes the mean of a link's two ways") {
  PairwiseLinks links(2);
  links.link(0, 1).latency_s = 0.03;
  links.link(1, 0).latency_s = 0.01;
  CHECK(pace(links, lists("path", 2)) == doctest::Approx(0.02));
}

TEST_CASE("round clock: no round is shorter than the least that its messages need") {
  PairwiseLinks links = slow_ports(12);
  for (PeerId a = 0; a < 12; ++a) links.port(a).up_bytes_per_s = 500.0 + 100.0 * a;
  for (const std::string kind : {"ring", "torus(3x4)", "exponential", "complete", "random-regular(3)"}) {
    CAPTURE(kind);
    const NeighborLists neighbors = lists(kind, 12);
    CHECK(pace(links, neighbors) >= RoundClock(links, 100.0).least_seconds(neighbors));
  }
}

TEST_CASE("round clock: one peer waits for nobody") { CHECK(pace(slow_ports(1), {{}}) == 0.0); }

}  // namespace hearsay::round_clock_test
