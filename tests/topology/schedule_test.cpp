#include "topology/schedule.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/dense_mixing.hpp"
#include "topology/families.hpp"
#include "topology/matchings.hpp"
#include "topology/spectrum.hpp"

namespace schedule_test {

using hearsay::contains;
using hearsay::Edge;
using hearsay::Graph;
using hearsay::make_graph;
using hearsay::misuse_text;
using hearsay::MixingMatrix;
using hearsay::PeerId;
using hearsay::Schedule;

namespace {

std::unique_ptr<Schedule> schedule_on(const std::string& kind, const Graph& graph, std::uint64_t seed = 1) {
  return hearsay::make_schedule(kind, graph, MixingMatrix::metropolis(graph), seed);
}

/// The matrix W of one round, from its rows.
Eigen::MatrixXd round_matrix(const Schedule& schedule, std::uint64_t round) {
  const PeerId n = schedule.peer_count();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (PeerId peer = 0; peer < n; ++peer) {
    matrix(peer, peer) = schedule.row(peer, round).self_weight;
    for (const auto& neighbor : schedule.row(peer, round).hears) matrix(peer, neighbor.id) = neighbor.weight;
  }
  return matrix;
}

Eigen::MatrixXd period_product(const Schedule& schedule, std::uint64_t first_round = 0) {
  Eigen::MatrixXd product = Eigen::MatrixXd::Identity(schedule.peer_count(), schedule.peer_count());
  for (std::uint64_t round = 0; round < schedule.period(); ++round)
    product = (round_matrix(schedule, first_round + round) * product).eval();
  return product;
}

double distance_to_average(const Eigen::MatrixXd& product) {
  return (product.array() - 1.0 / static_cast<double>(product.rows())).abs().maxCoeff();
}

std::set<Edge> links_of(const Schedule& schedule, std::uint64_t round) {
  std::set<Edge> links;
  for (PeerId peer = 0; peer < schedule.peer_count(); ++peer)
    for (const auto& neighbor : schedule.row(peer, round).hears)
      links.insert({std::min(peer, neighbor.id), std::max(peer, neighbor.id)});
  return links;
}

/// Returns a spelling of the schedule that works on complete graphs of `peers` peers, with an argument if it
/// takes one.
std::string spelled(const hearsay::Choice& choice, PeerId peers) {
  if (choice.arguments.empty()) return choice.name;
  return choice.name + (choice.name == "dealt-links" && peers < 3 ? "(1)" : "(2)");
}

}  // namespace

TEST_CASE(
    "schedule: every round of every schedule is doubly stochastic and its rows agree on who hears whom") {
  for (const hearsay::Choice& choice : hearsay::schedule_choices())
    for (const PeerId n : {1u, 2u, 4u, 16u}) {
      CAPTURE(choice.name);
      CAPTURE(n);
      const auto schedule = schedule_on(spelled(choice, n), make_graph("complete", n, 0));
      CHECK(schedule->name() == spelled(choice, n));
      CHECK(schedule->peer_count() == n);
      for (std::uint64_t round = 0; round < 2 * *schedule->period(); ++round) {
        const Eigen::MatrixXd w = round_matrix(*schedule, round);
        CHECK((w.rowwise().sum().array() - 1.0).abs().maxCoeff() < 1e-14);
        CHECK((w.colwise().sum().array() - 1.0).abs().maxCoeff() < 1e-14);
        for (PeerId speaker = 0; speaker < n; ++speaker) {
          std::vector<PeerId> hearers;
          for (PeerId i = 0; i < n; ++i)
            if (i != speaker && w(i, speaker) != 0.0) hearers.push_back(i);
          CHECK(schedule->row(speaker, round).heard_by == hearers);
        }
      }
    }
}

TEST_CASE("schedule: static is the mixing matrix in every round") {
  const Graph graph = make_graph("star", 6, 0);
  const auto schedule = schedule_on("static", graph);
  CHECK(schedule->period() == 1);
  CHECK(round_matrix(*schedule, 12345) == hearsay::dense(MixingMatrix::metropolis(graph)));
}

TEST_CASE("schedule: hypercube matchings average exactly, in every order of a period") {
  for (unsigned bits = 0; bits <= 6; ++bits) {
    const auto schedule = schedule_on("hypercube-matchings", make_graph("hypercube", PeerId{1} << bits, 0));
    CHECK(schedule->period() == std::max(1u, bits));
    for (std::uint64_t first = 0; first < schedule->period(); ++first)
      CHECK(distance_to_average(period_product(*schedule, first)) == 0.0);
  }
}

TEST_CASE("schedule: hypercube matchings leave all peers with the same bits, whatever they held") {
  const PeerId n = 32;
  const auto schedule = schedule_on("hypercube-matchings", make_graph("hypercube", n, 0));
  std::vector<double> held(n);
  for (PeerId i = 0; i < n; ++i) held[i] = 1.0 / (3.0 + i * i);
  for (std::uint64_t round = 0; round < schedule->period(); ++round) {
    std::vector<double> next(n);
    for (PeerId i = 0; i < n; ++i) {
      const hearsay::MixingRow row = schedule->row(i, round);
      next[i] = row.self_weight * held[i] + row.hears[0].weight * held[row.hears[0].id];
    }
    held = next;
  }
  CHECK(std::all_of(held.begin(), held.end(), [&](double value) { return value == held[0]; }));
}

TEST_CASE("schedule: one-peer exponential averages exactly on a power of two and on nothing else") {
  for (PeerId n = 2; n <= 33; ++n) {
    CAPTURE(n);
    const auto schedule = schedule_on("one-peer-exponential", make_graph("exponential", n, 0));
    std::uint64_t rounds = 0;
    while ((PeerId{1} << rounds) < n) ++rounds;
    CHECK(schedule->period() == rounds);
    const bool power_of_two = (n & (n - 1)) == 0;
    for (std::uint64_t first = 0; first < rounds; ++first)
      CHECK((distance_to_average(period_product(*schedule, first)) == 0.0) == power_of_two);
    CHECK(schedule->row(0, 1).hears.size() == 1);
  }
}

TEST_CASE("schedule: one-peer exponential hears 2^r behind and is heard 2^r ahead") {
  const auto schedule = schedule_on("one-peer-exponential", make_graph("exponential", 12, 0));
  const hearsay::MixingRow row = schedule->row(1, 6);  // 6 mod 4 = 2
  CHECK(row.self_weight == 0.5);
  CHECK(row.hears[0].id == 9);
  CHECK(row.hears[0].weight == 0.5);
  CHECK(row.heard_by == std::vector<PeerId>{5});
}

TEST_CASE("matchings: a proper edge coloring with at most one color more than the largest degree") {
  std::vector<Graph> graphs;
  for (PeerId n = 1; n <= 12; ++n)
    for (const char* spelling : {"ring", "path", "star", "complete", "exponential"})
      graphs.push_back(make_graph(spelling, n, 0));
  for (std::uint64_t seed = 0; seed < 60; ++seed)
    for (const char* spelling :
         {"erdos-renyi(0.3)", "random-regular(4)", "small-world(4, 0.4)", "geometric(0.45)"})
      graphs.push_back(make_graph(spelling, 25, seed));
  for (const Graph& graph : graphs) {
    const auto found = hearsay::matchings(graph);
    CHECK(found.size() <= graph.max_degree() + 1);
    std::vector<Edge> all;
    for (const auto& matching : found) {
      std::set<PeerId> matched;
      for (const Edge& edge : matching) {
        CHECK(matched.insert(edge.a).second);
        CHECK(matched.insert(edge.b).second);
      }
      all.insert(all.end(), matching.begin(), matching.end());
    }
    std::sort(all.begin(), all.end());
    CHECK(all == graph.edges());
  }
}

TEST_CASE("matchings: a star too large for the exact coloring is one link at a time") {
  const auto found = hearsay::matchings(make_graph("star", 1001, 0));
  CHECK(found.size() == 1000);
  CHECK(std::all_of(found.begin(), found.end(), [](const auto& matching) { return matching.size() == 1; }));
}

TEST_CASE("schedule: random matchings use every link once a period, in an order that changes") {
  const Graph graph = make_graph("torus(4x5)", 20, 0);
  const auto schedule = schedule_on("random-matchings", graph);
  std::set<std::vector<std::set<Edge>>> orders;
  for (std::uint64_t pass = 0; pass < 20; ++pass) {
    std::vector<std::set<Edge>> order;
    std::set<Edge> united;
    std::size_t total = 0;
    for (std::uint64_t k = 0; k < schedule->period(); ++k) {
      order.push_back(links_of(*schedule, pass * *schedule->period() + k));
      total += order.back().size();
      united.insert(order.back().begin(), order.back().end());
    }
    CHECK(total == graph.edges().size());
    CHECK(std::vector<Edge>(united.begin(), united.end()) == graph.edges());
    orders.insert(order);
  }
  CHECK(orders.size() > 10);
}

TEST_CASE("schedule: random matchings draw every order equally often, and the seed decides") {
  // A path of 4 peers has two matchings; a star of 4 has three, in 6 orders.
  const Graph star = make_graph("star", 4, 0);
  const auto schedule = schedule_on("random-matchings", star, 9);
  const auto again = schedule_on("random-matchings", star, 9);
  const auto other = schedule_on("random-matchings", star, 10);
  REQUIRE(schedule->period() == 3);
  std::map<std::vector<std::set<Edge>>, int> drawn;
  bool differs = false;
  const int passes = 6000;
  for (int pass = 0; pass < passes; ++pass) {
    std::vector<std::set<Edge>> order;
    for (std::uint64_t round = 3u * pass; round < 3u * pass + 3; ++round) {
      order.push_back(links_of(*schedule, round));
      if (pass < 100) {
        CHECK(links_of(*again, round) == order.back());
        differs |= links_of(*other, round) != order.back();
      }
    }
    ++drawn[order];
  }
  CHECK(differs);
  CHECK(drawn.size() == 6);
  for (const auto& [order, count] : drawn) CHECK(std::abs(count - 1000) < 150);  // 5 standard deviations: 144
}

TEST_CASE(
    "schedule: random matchings never repeat: in 10,000 rounds each follows each as often as fresh draws "
    "say") {
  const auto schedule = schedule_on("random-matchings", make_graph("star", 5, 0), 3);
  REQUIRE(schedule->period() == 4u);
  constexpr std::uint64_t periods = 2'500;
  std::vector<PeerId> first(periods);  // who is met in the first round of a period
  for (std::uint64_t period = 0; period < periods; ++period)
    first[period] = schedule->row(0, 4 * period).hears.front().id;
  for (const std::uint64_t apart : {1, 2, 16, 64, 640}) {
    CAPTURE(apart);
    double same = 0.0;
    for (std::uint64_t period = apart; period < periods; ++period)
      same += first[period] == first[period - apart] ? 1 : 0;
    const auto of = static_cast<double>(periods - apart);
    CHECK(std::abs(same - of / 4) < 5.0 * std::sqrt(of * 3 / 16));
  }
}

TEST_CASE(
    "schedule: dealt links are disconnected in a round, and all of the graph in any b rounds in a row") {
  for (const char* spelling : {"path", "star", "ring", "erdos-renyi(0.3)", "complete"})
    for (const PeerId hands : {2u, 3u, 5u}) {
      CAPTURE(spelling);
      CAPTURE(hands);
      const Graph graph = make_graph(spelling, 12, 3);
      const auto schedule = schedule_on("dealt-links(" + std::to_string(hands) + ")", graph);
      REQUIRE(schedule->period() == hands);
      for (std::uint64_t first = 0; first < 2 * hands; ++first) {
        std::set<Edge> united;
        std::size_t total = 0;
        for (std::uint64_t round = first; round < first + hands; ++round) {
          const std::set<Edge> links = links_of(*schedule, round);
          if (graph.edges().size() <= 12)
            CHECK_FALSE(Graph(12, std::vector<Edge>(links.begin(), links.end())).connected());
          total += links.size();
          united.insert(links.begin(), links.end());
        }
        CHECK(total == graph.edges().size());
        CHECK(std::vector<Edge>(united.begin(), united.end()) == graph.edges());
      }
      CHECK(*hearsay::contraction(*schedule, hands) < 1.0 - 1e-6);
    }
}

TEST_CASE("schedule: dealt links have the Metropolis weights of their own round, and the seed deals") {
  const Graph graph = make_graph("complete", 9, 0);
  const auto schedule = schedule_on("dealt-links(4)", graph, 7);
  const auto other = schedule_on("dealt-links(4)", graph, 8);
  bool differs = false;
  for (std::uint64_t round = 0; round < 4; ++round) {
    const std::set<Edge> links = links_of(*schedule, round);
    const Graph dealt(9, std::vector<Edge>(links.begin(), links.end()));
    CHECK(round_matrix(*schedule, round) == hearsay::dense(MixingMatrix::metropolis(dealt)));
    differs |= links_of(*other, round) != links;
  }
  CHECK(differs);
  CHECK(
      contains(misuse_text([] { schedule_on("dealt-links(9)", make_graph("ring", 8, 0)); }),
               "topology.schedule = dealt-links(9): expected at most as many rounds as there are links, 8"));
  CHECK(contains(misuse_text([] { schedule_on("dealt-links(0)", make_graph("ring", 8, 0)); }),
                 "expected dealt-links(b) with a whole number of at least 1"));
}

TEST_CASE("schedule: what a schedule needs and lacks is named") {
  CHECK(contains(misuse_text([] { schedule_on("random-matchings", make_graph("star", 6000, 0)); }),
                 "topology.schedule = random-matchings: a degree of 5999 on 6000 peers"));
  CHECK(contains(misuse_text([] { schedule_on("one-peer-exponental", make_graph("ring", 8, 0)); }),
                 "topology.schedule = one-peer-exponental: did you mean one-peer-exponential?"));
  CHECK(contains(
      misuse_text([] { schedule_on("one-peer-exponential", make_graph("ring", 8, 0)); }),
      "peer 2 would hear peer 0, which is no link of the topology; topology.kind = \"exponential\""));
  CHECK(contains(misuse_text([] { schedule_on("hypercube-matchings", make_graph("complete", 12, 0)); }),
                 "topology.peers = 12"));
  CHECK(contains(misuse_text([] { schedule_on("hypercube-matchings", make_graph("torus(4x4)", 16, 0)); }),
                 "topology.kind = \"hypercube\""));
}

}  // namespace schedule_test
