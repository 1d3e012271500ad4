#include "topology/participation.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/families.hpp"
#include "topology/spectrum.hpp"

namespace hearsay::participation_test {

namespace {

std::unique_ptr<Schedule> whole(const std::string& kind, const Graph& graph, std::uint64_t seed = 1) {
  return make_schedule(kind, graph, MixingMatrix::metropolis(graph), seed);
}

std::unique_ptr<Schedule> part(const std::string& kind, const Graph& graph, double share,
                               std::uint64_t seed = 1) {
  return with_participation(whole(kind, graph, seed), share, seed);
}

double weight(const Schedule& schedule, PeerId to, PeerId from, std::uint64_t round) {
  for (const WeightedNeighbor& neighbor : schedule.row(to, round).hears)
    if (neighbor.id == from) return neighbor.weight;
  return 0.0;
}

std::set<PeerId> participants(const Schedule& schedule, std::uint64_t round) {
  std::set<PeerId> found;
  for (PeerId peer = 0; peer < schedule.peer_count(); ++peer)
    if (schedule.row(peer, round).participates) found.insert(peer);
  return found;
}

struct Case {
  std::string kind;
  Graph graph;
};

std::vector<Case> cases() {
  return {{"static", make_graph("ring", 10, 0)},
          {"static", make_graph("star", 9, 0)},
          {"random-matchings", make_graph("torus(3x4)", 12, 0)},
          {"hypercube-matchings", make_graph("hypercube", 16, 0)},
          {"base(3)", make_graph("complete", 11, 0)},
          {"dealt-links(3)", make_graph("grid(3x4)", 12, 0)}};
}

}  // namespace

TEST_CASE(
    "participation: a round is the schedule's among those who take part, who keep what the others' links "
    "lose") {
  for (const Case& of : cases())
    for (const double share : {0.3, 0.5, 0.9}) {
      CAPTURE(of.kind);
      CAPTURE(share);
      const PeerId n = of.graph.peer_count();
      const auto full = whole(of.kind, of.graph);
      const auto schedule = part(of.kind, of.graph, share);
      CHECK(schedule->peer_count() == n);
      CHECK(schedule->period() % full->period() == 0);
      CHECK(schedule->period() >= 64);
      for (std::uint64_t round = 0; round < schedule->period(); ++round) {
        const std::set<PeerId> present = participants(*schedule, round);
        CHECK(present.size() == static_cast<std::size_t>(std::lround(share * n)));
        for (PeerId i = 0; i < n; ++i) {
          const MixingRow& row = schedule->row(i, round);
          double sum = row.self_weight;
          std::vector<PeerId> hears;
          for (PeerId j = 0; j < n; ++j) {
            if (j == i) continue;
            const bool both = present.contains(i) && present.contains(j);
            CHECK(weight(*schedule, i, j, round) == (both ? weight(*full, i, j, round) : 0.0));
            sum += weight(*schedule, i, j, round);
            if (weight(*schedule, i, j, round) != 0.0) hears.push_back(j);
          }
          CHECK(std::abs(sum - 1.0) < 1e-15);
          CHECK(row.heard_by == hears);
          CHECK(row.self_weight >= full->row(i, round).self_weight - 1e-15);
          if (!present.contains(i)) CHECK(row.hears.empty());
        }
      }
    }
}

TEST_CASE("participation: every link occurs in a period, which therefore contracts") {
  for (const Case& of : cases())
    for (const double share : {0.2, 0.5, 0.9}) {
      CAPTURE(of.kind);
      CAPTURE(share);
      const auto schedule = part(of.kind, of.graph, share);
      const auto full = whole(of.kind, of.graph);
      const auto links = [](const Schedule& s) {
        std::set<std::pair<PeerId, PeerId>> found;
        for (std::uint64_t round = 0; round < s.period(); ++round)
          for (PeerId peer = 0; peer < s.peer_count(); ++peer)
            for (const WeightedNeighbor& neighbor : s.row(peer, round).hears)
              found.emplace(peer, neighbor.id);
        return found;
      };
      CHECK(links(*schedule) == links(*full));
      CHECK(*period_contraction(*schedule) < 1.0 - 1e-9);
    }
}

TEST_CASE("participation: every peer's turn comes equally often, as the seed draws") {
  const Graph graph = make_graph("ring", 20, 0);
  const auto schedule = part("static", graph, 0.1, 4);
  const auto again = part("static", graph, 0.1, 4);
  const auto other = part("static", graph, 0.1, 5);
  const auto rounds = static_cast<double>(schedule->period());
  CHECK(rounds >= 8 * 19 * 20 / 2);
  std::map<PeerId, double> turns;
  bool differs = false;
  for (std::uint64_t round = 0; round < schedule->period(); ++round) {
    const std::set<PeerId> present = participants(*schedule, round);
    CHECK(participants(*again, round) == present);
    differs |= participants(*other, round) != present;
    for (const PeerId peer : present) ++turns[peer];
  }
  CHECK(differs);
  for (PeerId peer = 0; peer < 20; ++peer)
    CHECK(std::abs(turns[peer] - 0.1 * rounds) < 5.0 * std::sqrt(0.09 * rounds));
}

TEST_CASE("participation: rounds repeat after a period, and the same reference always shows the same row") {
  const auto schedule = part("random-matchings", make_graph("torus(3x4)", 12, 0), 0.5);
  std::set<const MixingRow*> shown;
  for (std::uint64_t round = 0; round < schedule->period(); ++round)
    for (PeerId peer = 0; peer < 12; ++peer) {
      CHECK(shown.insert(&schedule->row(peer, round)).second);
      CHECK(&schedule->row(peer, round) == &schedule->row(peer, round + 3 * schedule->period()));
    }
}

TEST_CASE("participation: of all peers is the schedule itself, where everybody takes part") {
  const Graph graph = make_graph("ring", 8, 0);
  auto schedule = whole("static", graph);
  const Schedule* const before = schedule.get();
  schedule = with_participation(std::move(schedule), 1.0, 1);
  CHECK(schedule.get() == before);
  CHECK(participants(*schedule, 0).size() == 8);
  CHECK(part("static", make_graph("ring", 1, 0), 0.5)->period() == 1);
}

TEST_CASE("participation: shares that make no sense, directed schedules and endless periods are refused") {
  const auto refusal = [](const std::string& kind, const std::string& family, PeerId n, double share) {
    return misuse_text([&] { part(kind, make_graph(family, n, 0), share); });
  };
  CHECK(refusal("static", "ring", 8, 0.0) ==
        "topology.participation = 0: expected a share greater than 0 and at most 1");
  CHECK(refusal("static", "ring", 8, 1.5).starts_with("topology.participation = 1.5"));
  CHECK(refusal("static", "ring", 8, std::nan("")).starts_with("topology.participation = nan"));
  CHECK(refusal("static", "ring", 8, 0.1) ==
        "topology.participation = 0.1: that is less than two of 8 peers, and no two would ever mix");
  CHECK(refusal("one-peer-exponential", "exponential", 8, 0.5)
            .starts_with("topology.participation = 0.5: it needs links that go both ways"));
  CHECK(
      refusal("static", "ring", 2000, 0.002)
          .starts_with("topology.participation = 0.002: so few participants make more rounds of 2000 peers"));
}

}  // namespace hearsay::participation_test
