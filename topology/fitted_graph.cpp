#include "topology/fitted_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "topology/fastest_mixing.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/graph_random.hpp"
#include "topology/linked_peers.hpp"
#include "topology/quick_contraction.hpp"
#include "topology/round_clock.hpp"

namespace hearsay {

namespace {

/// Lengths of a round that are tried.
constexpr std::size_t tried_rounds = 32;
constexpr double round_growth = 1.07;
/// The best of these are annealed once more, with the fastest weights.
constexpr std::size_t refined = 2;
/// The search asks what a graph can do at best.
const std::string search_weights = "fastest-chain";
constexpr double never = std::numeric_limits<double>::infinity();

/// How long an annealing is, and the relative changes for the worse that it accepts on average, first and
/// last.
struct Cooling {
  std::size_t steps;
  double first;
  double last;
};

Cooling quick_cooling(PeerId peers) {
  return {std::clamp<std::size_t>(std::size_t{1'200'000} / peers, 4'000, 12'000), 0.15, 0.002};
}

/// The solver of the fastest weights takes about half a millisecond for 16 peers and the third power more.
Cooling refining_cooling(PeerId peers, std::size_t links) {
  const double size = static_cast<double>(peers + links);
  const std::size_t steps = suits_fastest_solver(peers, links)
                                ? static_cast<std::size_t>(std::min(3'000.0, 1e9 / (size * size * size)))
                                : 0;
  return {steps, 0.02, 0.0005};
}

/// Estimates the seconds to a tenth, with the weights of QuickContraction, of graphs whose messages fit into
/// a round of a given length.
class QuickScore {
 public:
  QuickScore(const PairwiseLinks& links, double message_bytes)
      : clock_(links, message_bytes), contraction_(links.peer_count()) {}

  double round = never;  ///< that the messages have to fit into

  /// Returns the seconds, as if all rounds had this length; `never` if they are more than `bound`.
  double seconds(const LinkedPeers& graph, double bound) {
    if (clock_.least_seconds(graph.neighbors()) > round || !graph.connected()) return never;
    const double seconds = round * rounds_to_a_tenth(contraction_.rho(graph.neighbors()));
    return seconds > bound ? never : seconds;
  }
  /// Returns the seconds with rounds as long as they are.
  double true_seconds(const LinkedPeers& graph) {
    return clock_.seconds_per_round(graph.neighbors()) *
           rounds_to_a_tenth(contraction_.rho(graph.neighbors()));
  }

 private:
  RoundClock clock_;
  QuickContraction contraction_;
};

/// Computes the seconds to a tenth with the fastest weights.
class FastestScore {
 public:
  FastestScore(const PairwiseLinks& links, double message_bytes)
      : links_(links), message_bytes_(message_bytes), clock_(links, message_bytes) {}

  double seconds(const LinkedPeers& graph, double bound) const {
    if (clock_.least_seconds(graph.neighbors()) > bound || !graph.connected()) return never;
    const double seconds = plan(graph).forecast.seconds();
    return seconds > bound ? never : seconds;
  }
  GossipPlan plan(const LinkedPeers& graph) const {
    return plan_of("fitted", Graph(graph.peer_count(), graph.edges()), search_weights, links_,
                   message_bytes_);
  }

 private:
  const PairwiseLinks& links_;
  double message_bytes_;
  RoundClock clock_;
};

/// A graph that the search has come to, and its seconds to a tenth.
struct SearchedGraph {
  LinkedPeers graph;
  double seconds;
};

/// Says how much of the search is done.
class Progress {
 public:
  Progress(const std::function<void(double)>& say, std::size_t steps) : say_(say), steps_(steps) {}
  void add(std::size_t cost) {
    const std::size_t before = std::exchange(done_, done_ + cost);
    if (say_ && before / said_every != done_ / said_every)
      say_(std::min(1.0, static_cast<double>(done_) / static_cast<double>(steps_)));
  }

 private:
  const std::function<void(double)>& say_;
  static constexpr std::size_t said_every = 64;
  std::size_t steps_;
  std::size_t done_ = 0;
};

class GraphSearch {
 public:
  GraphSearch(const PairwiseLinks& links, const FitSettings& settings)
      : links_(links),
        settings_(settings),
        clock_(links, settings.message_bytes),
        quick_(links, settings.message_bytes),
        fastest_(links, settings.message_bytes),
        random_(settings.seed),
        degree_(std::min<std::size_t>(settings.degree, links.peer_count() - 1)),
        quick_cooling_(quick_cooling(links.peer_count())),
        refining_cooling_(refining_cooling(links.peer_count(), links.peer_count() * degree_ / 2)),
        progress_(settings.on_progress,
                  tried_rounds * quick_cooling_.steps + refined * refining_cost * refining_cooling_.steps) {}

  GossipPlan plan() {
    const std::optional<GossipPlan> family = best_family(search_weights);
    std::vector<SearchedGraph> found = graphs_by_round();
    if (family) {
      LinkedPeers graph(neighbor_lists(family->mixing));
      const double seconds = quick_.true_seconds(graph);
      found.push_back({std::move(graph), seconds});
    }
    std::ranges::stable_sort(found, {}, &SearchedGraph::seconds);
    if (found.size() > refined) found.erase(found.begin() + refined, found.end());
    for (SearchedGraph& graph : found) {
      graph.seconds = fastest_.seconds(graph.graph, never);
      graph = annealed(std::move(graph), fastest_, refining_cooling_, refining_cost);
    }
    return with_wanted_weights(
        fastest_.plan(std::ranges::min_element(found, {}, &SearchedGraph::seconds)->graph));
  }

 private:
  /// For the progress: a step with the fastest weights takes about as long as so many others.
  static constexpr std::size_t refining_cost = 20;

  /// Returns the plan on the links that it uses, or the best family, with the weights that they are to have.
  GossipPlan with_wanted_weights(const GossipPlan& plan) const {
    const LinkedPeers used(neighbor_lists(plan.mixing));
    GossipPlan fitted = plan_of(plan.name, Graph(used.peer_count(), used.edges()), settings_.weights, links_,
                                settings_.message_bytes);
    std::optional<GossipPlan> family = best_family(settings_.weights);
    return family && family->forecast.seconds() <= fitted.forecast.seconds() ? std::move(*family)
                                                                             : std::move(fitted);
  }

  std::optional<GossipPlan> best_family(const std::string& weights) const {
    std::optional<GossipPlan> best;
    for (GossipPlan& plan : plans_of_families(links_, settings_.message_bytes, weights, degree_))
      if (!best || plan.forecast.seconds() < best->forecast.seconds()) best = std::move(plan);
    return best;
  }

  /// Returns a graph that mixes fast for every length of a round that has one, with what the clock says of
  /// it.
  std::vector<SearchedGraph> graphs_by_round() {
    std::vector<SearchedGraph> found;
    double round = shortest_round() * (1.0 + 1e-9);
    const auto next = [&] { return round > 0.0 ? round * round_growth : fastest_link_with_time(); };
    for (std::size_t k = 0; k < tried_rounds || found.empty(); ++k, round = next()) {
      quick_.round = round;
      LinkedPeers graph = drawn(round);
      const double seconds = quick_.seconds(graph, never);
      if (seconds == never) continue;  // no graph was found that fits
      found.push_back(annealed({std::move(graph), seconds}, quick_, quick_cooling_, 1));
      found.back().seconds = quick_.true_seconds(found.back().graph);
    }
    return found;
  }

  /// Returns the time that a round of any connected graph takes at least: the slowest link of a tree of the
  /// fastest ones, which grows from peer 0.
  double shortest_round() const {
    const PeerId n = links_.peer_count();
    std::vector<double> to_tree(n, never);
    std::vector<bool> in_tree(n, false);
    double slowest = 0.0;
    PeerId added = 0;
    for (PeerId size = 1; size < n; ++size) {
      in_tree[added] = true;
      PeerId nearest = added;
      for (PeerId peer = 0; peer < n; ++peer) {
        if (in_tree[peer]) continue;
        to_tree[peer] = std::min(to_tree[peer], clock_.least_seconds(added, peer));
        if (in_tree[nearest] || to_tree[peer] < to_tree[nearest]) nearest = peer;
      }
      added = nearest;
      slowest = std::max(slowest, to_tree[added]);
    }
    return slowest;
  }

  /// Returns the least time above 0 that a link takes; `never` if none takes any.
  double fastest_link_with_time() const {
    double fastest = never;
    for (PeerId a = 0; a < links_.peer_count(); ++a)
      for (PeerId b = a + 1; b < links_.peer_count(); ++b)
        if (const double seconds = clock_.least_seconds(a, b); seconds > 0.0)
          fastest = std::min(fastest, seconds);
    return fastest;
  }

  /// Returns a random graph in which each peer has as many links as its port has time for in a round, of
  /// pairs that are fast enough. It may not be connected.
  LinkedPeers drawn(double round) {
    const PeerId n = links_.peer_count();
    std::vector<std::size_t> most(n);
    for (PeerId peer = 0; peer < n; ++peer) {
      const PairwiseLinks::Port& port = links_.port(peer);
      const double of_a_message =
          settings_.message_bytes / std::min(port.up_bytes_per_s, port.down_bytes_per_s);
      const double messages = of_a_message > 0.0 ? round / of_a_message * (1.0 + 1e-9) : never;
      most[peer] = static_cast<std::size_t>(std::clamp(messages, 1.0, static_cast<double>(degree_)));
    }
    std::vector<Edge> pairs;
    for (PeerId a = 0; a < n; ++a)
      for (PeerId b = a + 1; b < n; ++b)
        if (clock_.least_seconds(a, b) <= round) pairs.push_back({a, b});
    random_.shuffle(pairs);
    LinkedPeers graph(n);
    graph.join(pairs, most);
    return graph;
  }

  /// Makes a random change; the graph may no longer be connected. False if there was nothing to change.
  bool change(LinkedPeers& graph) {
    const PeerId n = graph.peer_count();
    const auto any = [&] { return static_cast<PeerId>(random_.below(n)); };
    const auto neighbor_of = [&](PeerId peer) {
      return graph.of(peer)[random_.below(graph.of(peer).size())];
    };
    const PeerId a = any();
    const PeerId b = any();
    const auto may_link = [&](PeerId x, PeerId y) { return x != y && !graph.linked(x, y); };
    const auto has_room = [&](PeerId x) { return graph.of(x).size() < degree_; };
    switch (random_.below(5)) {
      case 0:  // a new link
        return may_link(a, b) && has_room(a) && has_room(b) && graph.link(a, b);
      case 1:  // a link less
        return graph.cut(a, neighbor_of(a));
      case 2: {  // a link of `a` goes to `b`
        const PeerId old = neighbor_of(a);
        return may_link(a, b) && has_room(b) && graph.cut(a, old) && graph.link(a, b);
      }
      case 3: {  // two links are crossed
        const PeerId c = neighbor_of(a);
        const PeerId d = neighbor_of(b);
        return may_link(a, d) && may_link(b, c) && graph.cut(a, c) && graph.cut(b, d) && graph.link(a, d) &&
               graph.link(b, c);
      }
      default:
        return graph.exchange(a, b);
    }
  }

  SearchedGraph annealed(SearchedGraph current, auto& score, const Cooling& cooling, std::size_t cost) {
    SearchedGraph best = current;
    for (std::size_t step = 0; step < cooling.steps; ++step) {
      progress_.add(cost);
      const double share = static_cast<double>(step) / static_cast<double>(cooling.steps);
      const double temperature = cooling.first * std::pow(cooling.last / cooling.first, share);
      const double bound = current.seconds * std::exp(-temperature * std::log(1.0 - random_.uniform()));
      LinkedPeers changed = current.graph;
      if (!change(changed)) continue;
      const double seconds = score.seconds(changed, bound);
      if (seconds == never) continue;
      current = {std::move(changed), seconds};
      if (seconds < best.seconds) best = current;
    }
    return best;
  }

  const PairwiseLinks& links_;
  const FitSettings& settings_;
  RoundClock clock_;
  QuickScore quick_;
  FastestScore fastest_;
  GraphRandom random_;
  std::size_t degree_;
  Cooling quick_cooling_;
  Cooling refining_cooling_;
  Progress progress_;
};

}  // namespace

GossipPlan fitted_plan(const PairwiseLinks& links, const FitSettings& settings) {
  const PeerId n = links.peer_count();
  ensure(n > 0 && settings.message_bytes > 0.0, "a graph is fitted to peers and messages");
  if (n <= 2) {
    std::vector<Edge> edges;
    if (n == 2) edges.push_back({0, 1});
    return plan_of("fitted", Graph(n, std::move(edges)), settings.weights, links, settings.message_bytes);
  }
  ensure(settings.degree >= 2, "three peers or more need two links at some of them");
  return GraphSearch(links, settings).plan();
}

}  // namespace hearsay
