#include "topology/fitted_graph.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "topology/dense_mixing.hpp"
#include "topology/families.hpp"
#include "topology/graph_random.hpp"
#include "topology/linked_peers.hpp"
#include "topology/quick_contraction.hpp"
#include "topology/spectrum.hpp"

namespace hearsay::fitted_graph_test {

namespace {

/// Ports between 1 and 20 Mbit/s, each a peer's own, and links of 5 ms.
PairwiseLinks uneven_ports(PeerId peers) {
  std::vector<double> rates;
  for (PeerId peer = 0; peer < peers; ++peer)
    rates.push_back(125e3 * std::pow(20.0, static_cast<double>(peer) / (peers - 1)));
  GraphRandom(3).shuffle(rates);
  PairwiseLinks links(peers);
  for (PeerId a = 0; a < peers; ++a) {
    links.port(a) = {rates[a], rates[a]};
    for (PeerId b = 0; b < peers; ++b)
      if (a != b) links.link(a, b).latency_s = 0.005;
  }
  return links;
}

/// Links between 1 and 20 Mbit/s, different in both directions.
PairwiseLinks uneven_links(PeerId peers) {
  GraphRandom random(4);
  PairwiseLinks links(peers);
  for (PeerId a = 0; a < peers; ++a)
    for (PeerId b = 0; b < peers; ++b)
      if (a != b) links.link(a, b) = {0.05 * random.uniform(), 125e3 * std::pow(20.0, random.uniform())};
  return links;
}

void require_lawful(const GossipPlan& plan, const PairwiseLinks& links, std::size_t degree, double bytes) {
  const Eigen::MatrixXd w = dense(plan.mixing);
  CHECK((w.rowwise().sum().array() - 1.0).abs().maxCoeff() < 1e-12);
  CHECK((w.colwise().sum().array() - 1.0).abs().maxCoeff() < 1e-12);
  CHECK(plan.mixing.symmetric());
  CHECK(plan.mixing.non_negative());
  for (const std::vector<PeerId>& neighbors : neighbor_lists(plan.mixing)) CHECK(neighbors.size() <= degree);
  CHECK(plan.forecast.rounds == doctest::Approx(rounds_to_a_tenth(spectrum(plan.mixing).rho)));
  CHECK(std::isfinite(plan.forecast.seconds()));  // so the graph is connected
  for (const GossipPlan& family : plans_of_families(links, bytes, plan.weights, degree))
    CHECK_MESSAGE(plan.forecast.seconds() <= family.forecast.seconds(), family.name);
}

}  // namespace

TEST_CASE("fit: W is doubly stochastic, keeps the degree, and is no later than a family that does") {
  for (const std::size_t degree : {2u, 3u, 9u})
    for (const PairwiseLinks& links : {uneven_ports(10), uneven_links(10)}) {
      CAPTURE(degree);
      require_lawful(fitted_plan(links, {.degree = degree, .message_bytes = 2e5}), links, degree, 2e5);
    }
}

TEST_CASE("fit: the graph is the same with any weights, which have fewer or more rounds to a tenth") {
  const PairwiseLinks links = uneven_links(10);
  const GossipPlan plain = fitted_plan(links, {.degree = 3, .message_bytes = 2e5});
  CHECK(plain.weights == "metropolis");
  for (const std::string weights : {"lazy", "fastest", "fastest-chain"}) {
    const GossipPlan plan = fitted_plan(links, {.degree = 3, .message_bytes = 2e5, .weights = weights});
    CAPTURE(weights);
    CHECK(plan.weights == weights);
    CHECK(neighbor_lists(plan.mixing) == neighbor_lists(plain.mixing));
    CHECK((plan.forecast.rounds < plain.forecast.rounds) == (weights != "lazy"));
  }
}

TEST_CASE("fit: on uneven networks it is predicted at least 1.5 times sooner than ring and torus") {
  const PairwiseLinks links = uneven_links(12);
  const GossipPlan plan = fitted_plan(links, {.degree = 3, .message_bytes = 2e5});
  for (const GossipPlan& family : plans_of_families(links, 2e5, plan.weights))
    if (family.name != "complete" && family.name != "exponential")
      CHECK_MESSAGE(1.5 * plan.forecast.seconds() <= family.forecast.seconds(), family.name);
}

TEST_CASE("fit: the same seed gives the same weights, and progress goes from 0 to 1") {
  const PairwiseLinks links = uneven_links(8);
  std::vector<double> shares;
  const auto note = [&](double share) { shares.push_back(share); };
  const GossipPlan one =
      fitted_plan(links, {.degree = 3, .message_bytes = 1e6, .seed = 5, .on_progress = note});
  const GossipPlan two = fitted_plan(links, {.degree = 3, .message_bytes = 1e6, .seed = 5});
  CHECK(dense(one.mixing) == dense(two.mixing));
  REQUIRE(!shares.empty());
  CHECK(std::ranges::is_sorted(shares));
  CHECK(shares.front() >= 0.0);
  CHECK(shares.back() <= 1.0);
}

TEST_CASE("fit: one, two and three peers") {
  for (const PeerId peers : {1u, 2u, 3u}) {
    const PairwiseLinks links = peers == 1 ? PairwiseLinks(1) : uneven_ports(peers);
    require_lawful(fitted_plan(links, {.degree = 2, .message_bytes = 1e5}), links, 2, 1e5);
  }
}

TEST_CASE("fit: links that take no time are as good as any, and no search goes on for ever") {
  // Peers of one half are beside each other, or all are beside peer 0, which has links to three of them only.
  const auto linked_with = [](const auto& seconds) {
    PairwiseLinks links(8);
    for (PeerId a = 0; a < 8; ++a)
      for (PeerId b = 0; b < 8; ++b)
        if (a != b) links.link(a, b).latency_s = seconds(a, b);
    return links;
  };
  const PairwiseLinks halves = linked_with([](PeerId a, PeerId b) { return a / 4 == b / 4 ? 0.0 : 0.005; });
  const PairwiseLinks star = linked_with([](PeerId a, PeerId b) { return a * b == 0 ? 0.0 : 0.005; });
  const PairwiseLinks nowhere = linked_with([](PeerId, PeerId) { return 0.0; });
  const PairwiseLinks nearly = linked_with([](PeerId a, PeerId b) { return a / 4 == b / 4 ? 1e-12 : 0.005; });
  for (const PairwiseLinks& links : {halves, star, nowhere, nearly})
    require_lawful(fitted_plan(links, {.degree = 3, .message_bytes = 1e5}), links, 3, 1e5);
  CHECK(fitted_plan(halves, {.degree = 3, .message_bytes = 1e5}).forecast.seconds_per_round > 0.0);
  CHECK(fitted_plan(nowhere, {.degree = 3, .message_bytes = 1e5}).forecast.seconds() == 0.0);
}

TEST_CASE("fit: the families are those that there are for so many peers") {
  const auto names = [](PeerId peers) {
    std::set<std::string> found;
    for (const GossipPlan& plan : plans_of_families(uneven_ports(peers), 1e5, "metropolis"))
      found.insert(plan.name);
    return found;
  };
  CHECK(names(16) == std::set<std::string>{"ring", "torus(4x4)", "exponential", "complete"});
  CHECK(names(13) == std::set<std::string>{"ring", "exponential", "complete"});
}

TEST_CASE("rounds to a tenth: a factor of a tenth takes one, its root two, and 1 never ends") {
  CHECK(rounds_to_a_tenth(0.1) == 1.0);
  CHECK(rounds_to_a_tenth(0.0) == 1.0);
  CHECK(rounds_to_a_tenth(std::sqrt(0.1)) == doctest::Approx(2.0));
  CHECK(std::isinf(rounds_to_a_tenth(1.0)));
}

TEST_CASE("quick contraction: as the spectrum says of equal degrees, below and above 40 peers") {
  for (const PeerId peers : {20u, 60u}) {
    const Graph graph = make_graph("random-regular(3)", peers, 2);
    const NeighborLists neighbors = neighbor_lists(MixingMatrix::metropolis(graph));
    const double best = spectrum(MixingMatrix::best_constant(graph)).rho;
    CHECK(QuickContraction(peers).rho(neighbors) == doctest::Approx(best).epsilon(0.01));
  }
}

TEST_CASE("linked peers: links come and go at both ends, and two peers exchange their places") {
  LinkedPeers peers(5);
  for (const Edge& edge : {Edge{0, 1}, Edge{1, 2}, Edge{2, 3}}) peers.link(edge.a, edge.b);
  CHECK(!peers.connected());
  peers.link(4, 3);
  CHECK(peers.connected());
  CHECK(peers.exchange(0, 2));  // 2 - 1 - 0 - 3 - 4
  CHECK(peers.edges() == std::vector<Edge>{{0, 1}, {0, 3}, {1, 2}, {3, 4}});
  CHECK(peers.exchange(0, 1));  // neighbors of each other stay so
  CHECK(peers.linked(0, 1));
  peers.cut(3, 4);
  CHECK(!peers.connected());
}

TEST_CASE("linked peers: peers with one link hang on those that may have more") {
  std::vector<Edge> pairs;
  for (PeerId a = 0; a < 6; ++a)
    for (PeerId b = a + 1; b < 6; ++b) pairs.push_back({a, b});
  LinkedPeers some(6);
  CHECK(some.join(pairs, std::vector<std::size_t>{1, 1, 3, 3, 1, 1}));
  for (const PeerId leaf : {0u, 1u, 4u, 5u}) CHECK(some.of(leaf).size() == 1);
  LinkedPeers none(6);
  CHECK(!none.join(pairs, std::vector<std::size_t>{1, 1, 2, 2, 1, 1}));
}

}  // namespace hearsay::fitted_graph_test
