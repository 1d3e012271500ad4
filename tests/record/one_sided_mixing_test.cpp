#include "runtime/record/one_sided_mixing.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "runtime/peer/neighborhood.hpp"

namespace hearsay::one_sided_mixing_test {

namespace {

constexpr std::uint64_t never = Neighborhood::never;

std::vector<PeerOutcome> peers_that_ran(PeerId count, std::uint64_t iterations) {
  std::vector<PeerOutcome> peers(count);
  for (PeerOutcome& peer : peers) peer.iterations = iterations;
  return peers;
}

}  // namespace

TEST_CASE("one-sided mixings: the end that still mixes, and for how long") {
  auto peers = peers_that_ran(4, 20);
  peers[1].partings = {{2, 5, 9, 0.25}};
  peers[2].partings = {{1, 6, 9, 0.25}};
  peers[3].partings = {{0, 7, never, 0.5}};
  const auto mixings = one_sided_mixings(peers);
  REQUIRE(mixings.size() == 2);
  CHECK(mixings[0].by == 0);
  CHECK(mixings[0].with == 3);
  CHECK(mixings[0].from == 7);
  CHECK(mixings[0].until == 21);
  CHECK(mixings[0].weight == 0.5);
  CHECK(mixings[1].by == 2);
  CHECK(mixings[1].with == 1);
  CHECK(mixings[1].from == 5);
  CHECK(mixings[1].until == 6);
  CHECK(mixings[1].weight == 0.25);
}

TEST_CASE("one-sided mixings: an edge to a peer that is gone, to itself or to nobody is none") {
  auto peers = peers_that_ran(3, 20);
  peers[0].partings = {{1, 5, never, 0.25}, {0, 5, never, 0.25}, {7, 5, never, 0.25}};
  peers[1].gone = true;
  CHECK(one_sided_mixings(peers).empty());
}

TEST_CASE("one-sided mixings: 100,000 peers are not compared pair by pair") {
  // All pairs took 36 s. The edges that were taken out are two.
  auto peers = peers_that_ran(100'000, 20);
  peers[99'998].partings = {{99'999, 5, never, 0.25}};
  peers[0].partings = {{1, 5, never, 0.25}};
  peers[1].partings = {{0, 5, never, 0.25}};
  CHECK(one_sided_mixings(peers).size() == 1);
}

}  // namespace hearsay::one_sided_mixing_test
