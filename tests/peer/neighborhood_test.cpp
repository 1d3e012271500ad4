#include "runtime/peer/neighborhood.hpp"

#include <doctest/doctest.h>

namespace hearsay::neighborhood_test {

namespace {

constexpr double third = 1.0 / 3.0;

/// Peer 0 of a ring of four: neighbors 1 and 3.
Neighborhood on_a_ring(WeightsFollow follow = WeightsFollow::degrees) {
  return {MixingRow{third, {{1, third}, {3, third}}, {1, 3}}, {2, 2}, follow};
}

double weight_of(const MixingRow& row, PeerId id) {
  for (const WeightedNeighbor& neighbor : row.hears)
    if (neighbor.id == id) return neighbor.weight;
  return 0.0;
}

}  // namespace

TEST_CASE("neighborhood: as long as nobody goes, its row is the one it was given") {
  Neighborhood neighborhood = on_a_ring();
  for (std::uint64_t t = 1; t < 5; ++t) {
    neighborhood.begin(t);
    neighborhood.hear_degree(1, t + 1, 2);
    neighborhood.hear_degree(3, t + 1, 2);
  }
  CHECK(neighborhood.undisturbed());
  CHECK(neighborhood.announced_degree() == 2);
  CHECK(weight_of(neighborhood.row(), 1) == third);
}

TEST_CASE(
    "neighborhood: an edge is out from the first lacking message on, degrees count two iterations later") {
  Neighborhood neighborhood = on_a_ring();
  neighborhood.begin(1);
  neighborhood.begin(2);
  neighborhood.lose(3);
  CHECK(neighborhood.row().hears.size() == 2);  // its messages that have come still count
  neighborhood.depart(3, 2);
  CHECK(neighborhood.is_out({2, 0, 3}));
  CHECK_FALSE(neighborhood.is_out({1, 0, 3}));
  CHECK(neighborhood.announced_degree() == 2);  // for iteration 3; the messages of 2 have left

  neighborhood.begin(3);
  CHECK(neighborhood.announced_degree() == 1);
  CHECK(weight_of(neighborhood.row(), 1) == third);
  CHECK(neighborhood.row().self_weight == doctest::Approx(2 * third));

  neighborhood.begin(4);
  CHECK(weight_of(neighborhood.row(), 1) == third);  // peer 1 still has degree 2
  neighborhood.hear_degree(1, 5, 1);
  CHECK(weight_of(neighborhood.row(), 1) == third);  // not yet
  neighborhood.begin(5);
  CHECK(weight_of(neighborhood.row(), 1) == 0.5);
}

TEST_CASE("neighborhood: an announcement that comes early, or late, counts in its iteration") {
  Neighborhood neighborhood = on_a_ring();
  neighborhood.begin(1);
  neighborhood.hear_degree(1, 3, 5);  // the neighbor is an iteration ahead; this overtakes the next line's
  neighborhood.hear_degree(1, 2, 4);
  CHECK(weight_of(neighborhood.row(), 1) == third);
  neighborhood.begin(2);
  CHECK(weight_of(neighborhood.row(), 1) == 1.0 / 5.0);
  neighborhood.begin(3);
  CHECK(weight_of(neighborhood.row(), 1) == 1.0 / 6.0);
}

TEST_CASE("neighborhood: an edge comes back in the iteration that was agreed on, and is announced in time") {
  Neighborhood neighborhood = on_a_ring();
  neighborhood.begin(1);
  neighborhood.lose(3);
  neighborhood.depart(3, 1);
  for (std::uint64_t t = 2; t <= 10; ++t) neighborhood.begin(t);
  CHECK(neighborhood.degree() == 1);
  neighborhood.attach(3, 12);
  CHECK_FALSE(neighborhood.is_lost(3));
  CHECK(neighborhood.is_out({11, 0, 3}));
  CHECK_FALSE(neighborhood.is_out({12, 0, 3}));
  neighborhood.begin(11);
  CHECK(neighborhood.announced_degree() == 2);
  CHECK(neighborhood.degree() == 1);
  CHECK(neighborhood.row().hears.size() == 1);
  neighborhood.begin(12);
  CHECK(neighborhood.attached_at(12) == std::vector<PeerId>{3});
  CHECK(neighborhood.degree() == 2);
  neighborhood.hear_degree(3, 12, 7);
  CHECK(weight_of(neighborhood.row(), 3) == 1.0 / 8.0);
}

TEST_CASE("neighborhood: weights that are the edges' own stay, and the rest is the self weight") {
  Neighborhood neighborhood = on_a_ring(WeightsFollow::their_own);
  neighborhood.begin(1);
  neighborhood.lose(3);
  neighborhood.depart(3, 1);
  for (std::uint64_t t = 2; t <= 5; ++t) {
    neighborhood.begin(t);
    neighborhood.hear_degree(1, t + 1, 1);
  }
  CHECK(weight_of(neighborhood.row(), 1) == third);
  CHECK(neighborhood.row().self_weight == doctest::Approx(2 * third));
}

TEST_CASE(
    "neighborhood: what a neighbor said in the iteration in which its return was agreed on still counts") {
  Neighborhood neighborhood = on_a_ring();
  neighborhood.begin(5);
  neighborhood.lose(3);  // its message of iteration 5 has come
  neighborhood.attach(3, 9);
  CHECK(neighborhood.row().hears.size() == 2);
  CHECK(neighborhood.lacks(3, 5));  // a message of iteration 5 that had not come never would
  neighborhood.begin(6);
  CHECK(neighborhood.row().hears.size() == 1);
  neighborhood.begin(9);
  CHECK(neighborhood.row().hears.size() == 2);
  CHECK_FALSE(neighborhood.lacks(3, 9));
}

TEST_CASE(
    "neighborhood: an edge that left, came back and is lost again still counts until its next return is "
    "agreed on") {
  Neighborhood neighborhood = on_a_ring();
  neighborhood.begin(5);
  neighborhood.lose(3);
  neighborhood.depart(3, 5);
  neighborhood.attach(3, 9);
  for (std::uint64_t t = 6; t <= 12; ++t) neighborhood.begin(t);
  neighborhood.lose(3);  // its message of iteration 12 has come
  neighborhood.attach(3, 16);
  CHECK(neighborhood.row().hears.size() == 2);
  neighborhood.begin(13);
  CHECK(neighborhood.row().hears.size() == 1);
  CHECK(neighborhood.partings() == std::vector<Parting>{{3, 5, 9, third}, {3, 13, 16, third}});
}

TEST_CASE(
    "neighborhood: where the last message before a return does not come, the edge was out an iteration "
    "sooner") {
  Neighborhood neighborhood = on_a_ring();
  neighborhood.begin(5);
  neighborhood.lose(3);
  neighborhood.attach(3, 9);
  CHECK(neighborhood.partings() == std::vector<Parting>{{3, 6, 9, third}});
  neighborhood.depart(3, 5);
  CHECK(neighborhood.partings() == std::vector<Parting>{{3, 5, 9, third}});
}

TEST_CASE(
    "neighborhood: degrees count from the iteration that they are said of, in whatever order they come") {
  for (const bool in_order : {true, false}) {
    Neighborhood neighborhood = on_a_ring();
    neighborhood.begin(5);
    neighborhood.lose(3);
    neighborhood.depart(3, 5);
    neighborhood.attach(3, 8);
    for (const std::uint64_t t : {6u, 7u}) neighborhood.begin(t);
    if (in_order) neighborhood.hear_degree(3, 8, 4);
    neighborhood.hear_degree(3, 9, 2);  // its first degree again
    if (!in_order) neighborhood.hear_degree(3, 8, 4);
    neighborhood.begin(8);
    CHECK(weight_of(neighborhood.row(), 3) == 1.0 / 5.0);
    neighborhood.begin(9);
    CHECK(weight_of(neighborhood.row(), 3) == third);
  }
}

TEST_CASE(
    "neighborhood: of one that began anew, what its predecessor said of later iterations does not count") {
  Neighborhood neighborhood = on_a_ring();
  neighborhood.begin(5);
  neighborhood.hear_degree(3, 9, 7);
  neighborhood.lose(3);
  neighborhood.depart(3, 5);
  neighborhood.attach(3, 8);
  neighborhood.hear_degree(3, 8, 1);
  for (const std::uint64_t t : {6u, 7u, 8u, 9u}) neighborhood.begin(t);
  CHECK(weight_of(neighborhood.row(), 3) == third);
}

TEST_CASE("neighborhood: an edge that is left out is out from the first iteration on, and may come in") {
  Neighborhood neighborhood = on_a_ring();
  neighborhood.leave_out(3);
  CHECK(neighborhood.lacks(3, 1));
  neighborhood.begin(1);
  CHECK(neighborhood.degree() == 1);
  CHECK(neighborhood.announced_degree() == 1);
  CHECK(neighborhood.row().hears.size() == 1);
  CHECK(neighborhood.is_out({1, 0, 3}));
  neighborhood.attach(3, 3);
  neighborhood.begin(2);
  CHECK(neighborhood.announced_degree() == 2);
  neighborhood.begin(3);
  CHECK(neighborhood.row().hears.size() == 2);
}

}  // namespace hearsay::neighborhood_test
