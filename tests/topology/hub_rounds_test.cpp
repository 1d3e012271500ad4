#include "topology/hub_rounds.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/families.hpp"

namespace hearsay::hub_rounds_test {

namespace {

std::unique_ptr<Schedule> star(PeerId peers) {
  const Graph graph = make_graph("star", peers, 1);
  return make_schedule("static", graph, MixingMatrix::metropolis(graph), 1);
}

}  // namespace

TEST_CASE("hub rounds: the hub takes part in every round, with as many answers as the share says") {
  for (const HubData hub : {HubData::its_own, HubData::none})
    for (const double share : {0.25, 0.5, 0.8}) {
      CAPTURE(share);
      const auto schedule = hub_rounds(star(9), share, hub, 7);
      const PeerId with_data = hub == HubData::its_own ? 9 : 8;
      const auto expected = static_cast<std::size_t>(std::lround(share * with_data));
      std::vector<std::uint64_t> rounds(9, 0);
      for (std::uint64_t round = 0; round < 100; ++round) {
        const MixingRow of_hub = schedule->row(hub_id, round);
        CHECK(of_hub.participates);
        std::size_t answers = of_hub.trains ? 1 : 0;
        std::set<PeerId> heard;
        for (const WeightedNeighbor& worker : of_hub.hears) heard.insert(worker.id);
        CHECK(heard == std::set<PeerId>(of_hub.heard_by.begin(), of_hub.heard_by.end()));
        for (PeerId worker = 1; worker < 9; ++worker) {
          const MixingRow row = schedule->row(worker, round);
          CHECK(row.participates == heard.contains(worker));
          CHECK(row.hears.size() == (row.participates ? 1 : 0));
          answers += row.participates ? 1 : 0;
          rounds[worker] += row.participates ? 1 : 0;
        }
        CHECK(answers == expected);
        if (hub == HubData::none) CHECK(!of_hub.trains);
      }
      for (PeerId worker = 1; worker < 9; ++worker) CHECK(rounds[worker] >= 1);
    }
}

TEST_CASE("hub rounds: on a tree every group draws for itself, and heads take part in every round") {
  // 1, 4, 7, 10, 13 and 2, 5, 8, 11 and 3, 6, 9, 12
  const PeerId heads = 3;
  const Graph graph = make_graph("hub-tree(3)", 14, 1);
  for (const HubData hub : {HubData::its_own, HubData::none}) {
    const auto schedule =
        hub_rounds(make_schedule("static", graph, MixingMatrix::metropolis(graph), 1), 0.4, hub, 7);
    CHECK(!schedule->period());
    std::vector<std::uint64_t> rounds(14, 0);
    for (std::uint64_t round = 0; round < 100; ++round) {
      CHECK(schedule->row(hub_id, round).heard_by == std::vector<PeerId>{1, 2, 3});
      CHECK(schedule->row(hub_id, round).trains == (hub == HubData::its_own));
      std::vector<std::size_t> answers(heads + 1, 0);
      for (PeerId peer = 1; peer < 14; ++peer) {
        const MixingRow row = schedule->row(peer, round);
        const PeerId head = (peer - 1) % heads + 1;
        const bool answers_now = row.participates && row.trains;
        answers[head] += answers_now ? 1 : 0;
        rounds[peer] += answers_now ? 1 : 0;
        if (peer == head) {
          CHECK(row.participates);
          CHECK(row.heard_by.front() == hub_id);
          for (PeerId worker = head + heads; worker < 14; worker += heads)
            CHECK(std::ranges::binary_search(row.heard_by, worker) ==
                  schedule->row(worker, round).participates);
        } else {
          CHECK(row.hears.size() == (row.participates ? 1 : 0));
        }
      }
      CHECK(answers == std::vector<std::size_t>{0, 2, 2, 2});
    }
    for (PeerId peer = 1; peer < 14; ++peer) CHECK(rounds[peer] >= 1);
  }
  const auto alone = hub_rounds(make_schedule("static", graph, MixingMatrix::metropolis(graph), 1), 0.01,
                                HubData::its_own, 7);
  CHECK(alone->row(1, 0).participates);  // a group answers for at least one
}

TEST_CASE(
    "hub rounds: all workers and a hub with data are the star itself, and a seed draws the same again") {
  CHECK(hub_rounds(star(5), 1.0, HubData::its_own, 1)->period() == 1);
  CHECK(hub_rounds(star(5), 1.0, HubData::none, 1)->period() == 1);
  const auto one = hub_rounds(star(9), 0.5, HubData::its_own, 3);
  const auto again = hub_rounds(star(9), 0.5, HubData::its_own, 3);
  const auto other = hub_rounds(star(9), 0.5, HubData::its_own, 4);
  bool differ = false;
  for (std::uint64_t round = 0; round < 100; ++round)
    for (PeerId peer = 0; peer < 9; ++peer) {
      CHECK(one->row(peer, round).participates == again->row(peer, round).participates);
      differ |= one->row(peer, round).participates != other->row(peer, round).participates;
    }
  CHECK(differ);
}

TEST_CASE(
    "hub rounds: in 10,000 rounds every worker answers as often as fresh draws say, on stars and trees") {
  constexpr std::uint64_t rounds = 10'000;
  const Graph tree = make_graph("hub-tree(2)", 9, 1);  // 1, 3, 5, 7 and 2, 4, 6, 8
  for (const bool on_tree : {false, true}) {
    CAPTURE(on_tree);
    const auto schedule = on_tree
                              ? hub_rounds(make_schedule("static", tree, MixingMatrix::metropolis(tree), 1),
                                           0.5, HubData::none, 7)
                              : hub_rounds(star(8), 0.5, HubData::its_own, 7);
    const PeerId first = on_tree ? 1 : 0;
    std::vector<std::vector<bool>> answers(rounds, std::vector<bool>(schedule->peer_count()));
    for (std::uint64_t round = 0; round < rounds; ++round)
      for (PeerId peer = first; peer < schedule->peer_count(); ++peer) {
        const MixingRow row = schedule->row(peer, round);
        answers[round][peer] = row.participates && row.trains;
      }
    const auto near = [&](double count, double probability, double of) {
      return std::abs(count - probability * of) < 5.0 * std::sqrt(probability * (1.0 - probability) * of);
    };
    for (PeerId peer = first; peer < schedule->peer_count(); ++peer)
      for (const std::uint64_t apart : {0, 1, 64, 128, 640}) {
        double both = 0.0;
        for (std::uint64_t round = apart; round < rounds; ++round)
          both += answers[round][peer] && answers[round - apart][peer] ? 1 : 0;
        CAPTURE(apart);
        CHECK(near(both, apart == 0 ? 0.5 : 0.25, static_cast<double>(rounds - apart)));
      }
    // The groups of a tree draw independently of each other.
    double both = 0.0;
    for (std::uint64_t round = 0; on_tree && round < rounds; ++round)
      both += answers[round][3] && answers[round][4];
    if (on_tree) CHECK(near(both, 0.25, rounds));
  }
}

TEST_CASE("hub rounds: a share of less than one worker is refused in a sentence") {
  CHECK(misuse_text([] { hub_rounds(star(5), 0.05, HubData::its_own, 1); }) ==
        "topology.participation = 0.05: that is less than one of 5 workers; expected at least 0.5 / 5");
  CHECK(contains(misuse_text([] { hub_rounds(star(5), 1.5, HubData::its_own, 1); }), "at most 1"));
}

TEST_CASE("hub rounds: only a star around peer 0 is one") {
  CHECK(is_star_around_hub(make_graph("star", 5, 1)));
  CHECK(is_star_around_hub(make_graph("ring", 2, 1)));
  CHECK(!is_star_around_hub(make_graph("ring", 4, 1)));
  CHECK(!is_star_around_hub(make_graph("complete", 4, 1)));
  CHECK(!is_star_around_hub(Graph(3, {{0, 1}, {1, 2}})));
}

}  // namespace hearsay::hub_rounds_test
