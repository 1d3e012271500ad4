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
      CHECK(!schedule->period());
      for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1} << 40})
        for (std::uint64_t round = first; round < first + 64; ++round) {
          const std::set<PeerId> present = participants(*schedule, round);
          CHECK(present.size() == static_cast<std::size_t>(std::lround(share * n)));
          for (PeerId i = 0; i < n; ++i) {
            const MixingRow row = schedule->row(i, round);
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

TEST_CASE("participation: the links are the whole schedule's, and rounds soon contract") {
  for (const Case& of : cases())
    for (const double share : {0.2, 0.5, 0.9}) {
      CAPTURE(of.kind);
      CAPTURE(share);
      const auto schedule = part(of.kind, of.graph, share);
      const auto full = whole(of.kind, of.graph);
      const auto links = [](const Schedule& s, std::uint64_t rounds) {
        std::set<std::pair<PeerId, PeerId>> found;
        for (std::uint64_t round = 0; round < rounds; ++round)
          for (PeerId peer = 0; peer < s.peer_count(); ++peer)
            for (const WeightedNeighbor& neighbor : s.row(peer, round).hears)
              found.emplace(peer, neighbor.id);
        return found;
      };
      CHECK(links(schedule->whole(), *schedule->whole().period()) == links(*full, *full->period()));
      CHECK(links(*schedule, 2000) == links(*full, *full->period()));
      CHECK(*contraction(*schedule, 2000) < 1.0 - 1e-9);
    }
}

// Who takes part in a round is independent of all other rounds: the counts of 10,000 rounds are within five
// standard deviations, those of two rounds 1, 2, 64, ... apart, too.
TEST_CASE(
    "participation: in 10,000 rounds every peer and every pair takes part as often as fresh draws say") {
  constexpr std::uint64_t rounds = 10'000;
  for (const PeerId n : {4u, 8u, 20u}) {
    CAPTURE(n);
    const double r = n / 2;
    const auto schedule = part("static", make_graph("ring", n, 0), 0.5, 4);
    std::vector<std::vector<bool>> present(rounds, std::vector<bool>(n));
    std::vector<double> turns(n, 0.0);
    std::map<std::pair<PeerId, PeerId>, double> together;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      for (const PeerId peer : participants(*schedule, round)) present[round][peer] = true;
      for (PeerId a = 0; a < n; ++a) {
        turns[a] += present[round][a] ? 1 : 0;
        for (PeerId b = 0; b < a; ++b) together[{a, b}] += present[round][a] && present[round][b] ? 1 : 0;
      }
    }
    const auto near = [&](double count, double probability, double of) {
      return std::abs(count - probability * of) < 5.0 * std::sqrt(probability * (1.0 - probability) * of);
    };
    for (PeerId peer = 0; peer < n; ++peer) CHECK(near(turns[peer], r / n, rounds));
    for (const auto& [pair, count] : together) CHECK(near(count, r * (r - 1) / (n * (n - 1.0)), rounds));
    for (const std::uint64_t apart : {1, 2, 3, 64, 128, 640, 4096})
      for (PeerId peer = 0; peer < n; ++peer) {
        double both = 0.0;
        for (std::uint64_t round = apart; round < rounds; ++round)
          both += present[round][peer] && present[round - apart][peer] ? 1 : 0;
        CAPTURE(apart);
        CHECK(near(both, r * r / (n * n), static_cast<double>(rounds - apart)));
      }
  }
}

TEST_CASE("participation: the seed draws, the same rounds again, and any round by itself") {
  const Graph graph = make_graph("ring", 20, 0);
  const auto schedule = part("static", graph, 0.1, 4);
  const auto again = part("static", graph, 0.1, 4);
  const auto other = part("static", graph, 0.1, 5);
  bool differs = false;
  for (std::uint64_t round = 1'000'000'000'100; round-- > 1'000'000'000'000;) {
    CHECK(participants(*again, round) == participants(*schedule, round));
    differs |= participants(*other, round) != participants(*schedule, round);
  }
  CHECK(differs);
}

TEST_CASE("participation: a thousandth of many peers is not too few") {
  const auto schedule = part("static", make_graph("ring", 10'000, 0), 0.001);
  CHECK(participants(*schedule, 123'456'789).size() == 10);
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

TEST_CASE("participation: shares that make no sense and directed schedules are refused") {
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
}

}  // namespace hearsay::participation_test
