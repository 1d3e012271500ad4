#include "topology/diameter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "topology/foundation/ensure.hpp"
#include "topology/translations.hpp"

namespace hearsay {
namespace {

constexpr unsigned unseen = ~0u;

/// True if a group of translations maps the graph to itself: every peer then is as far from all others as
/// peer 0.
bool looks_the_same_from_everywhere(const Graph& graph, const Moduli& moduli) {
  if (graph.min_degree() != graph.max_degree()) return false;
  for (PeerId peer = 1; peer < graph.peer_count(); ++peer)
    for (const PeerId hop : graph.neighbors(0))
      if (!graph.adjacent(peer, shifted(peer, hop, moduli))) return false;
  return true;
}

bool looks_the_same_from_everywhere(const Graph& graph) {
  return std::ranges::any_of(groups_of_size(graph.peer_count()), [&](const Moduli& moduli) {
    return looks_the_same_from_everywhere(graph, moduli);
  });
}

/// Breadth-first search; the working memory is kept between searches.
class Search {
 public:
  explicit Search(const Graph& graph) : graph_(graph), distance_(graph.peer_count()) {
    queue_.reserve(graph.peer_count());
  }

  unsigned eccentricity(PeerId from) {
    std::fill(distance_.begin(), distance_.end(), unseen);
    queue_.assign(1, from);
    distance_[from] = 0;
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      const PeerId peer = queue_[next];
      for (const PeerId neighbor : graph_.neighbors(peer)) {
        if (distance_[neighbor] != unseen) continue;
        distance_[neighbor] = distance_[peer] + 1;
        queue_.push_back(neighbor);
      }
    }
    ensure(queue_.size() == distance_.size(), "distances are asked of a connected graph");
    return distance_[queue_.back()];
  }

  /// Of every peer, in the search before.
  const std::vector<unsigned>& distances() const { return distance_; }

 private:
  const Graph& graph_;
  std::vector<unsigned> distance_;
  std::vector<PeerId> queue_;
};

/// 512 searches side by side: bit k of a peer's word says whether search k has reached it.
constexpr std::size_t batch = 512;
using Reached = std::array<std::uint64_t, batch / 64>;

/// The largest eccentricity among at most 512 peers. It equals the number of sweeps in which some search
/// reaches a new peer. In a sweep every peer is reached by all searches that had reached a neighbor of it.
unsigned largest_eccentricity(const Graph& graph, std::span<const PeerId> of) {
  std::vector<Reached> before(graph.peer_count(), Reached{});
  for (std::size_t k = 0; k < of.size(); ++k) before[of[k]][k / 64] |= std::uint64_t{1} << (k % 64);
  std::vector<Reached> after = before;
  for (unsigned sweeps = 0;; ++sweeps) {
    bool changed = false;
    for (PeerId peer = 0; peer < graph.peer_count(); ++peer) {
      Reached reached = before[peer];
      for (const PeerId neighbor : graph.neighbors(peer))
        for (std::size_t word = 0; word < reached.size(); ++word) reached[word] |= before[neighbor][word];
      changed |= reached != before[peer];
      after[peer] = reached;
    }
    if (!changed) return sweeps;
    before.swap(after);
  }
}

/// Takes and Kosters, "Determining the diameter of small world networks" (2011): a search from v bounds the
/// eccentricity of every w,
///
///     max(d(v, w), ecc(v) - d(v, w)) <= ecc(w) <= ecc(v) + d(v, w)
///
/// and no peer is searched from whose upper bound is not above the largest eccentricity seen: only the others
/// are open. Searches start by turns at the largest upper bound and at the smallest lower one: the rim, and
/// the middle, whose search rules out most of the others. A path takes 3 searches, a star 2; a graph that
/// looks alike from many peers takes about as many.
class EccentricityBounds {
 public:
  explicit EccentricityBounds(const Graph& graph)
      : search_(graph),
        lower_(graph.peer_count(), 0),
        upper_(graph.peer_count(), ~0u),
        open_(graph.peer_count()) {
    std::iota(open_.begin(), open_.end(), PeerId{0});
  }

  /// Searches from an open peer; there must be one.
  void search() {
    const PeerId from = at_the_rim_
                            ? *std::ranges::max_element(open_, {}, [&](PeerId w) { return upper_[w]; })
                            : *std::ranges::min_element(open_, {}, [&](PeerId w) { return lower_[w]; });
    at_the_rim_ = !at_the_rim_;
    const unsigned found = search_.eccentricity(from);
    largest_ = std::max(largest_, found);
    for (const PeerId w : open_) {
      const unsigned distance = search_.distances()[w];
      lower_[w] = std::max({lower_[w], distance, found - distance});
      upper_[w] = std::min(upper_[w], found + distance);
    }
    std::erase_if(open_, [&](PeerId w) { return w == from || upper_[w] <= largest_; });
  }

  const std::vector<PeerId>& open() const { return open_; }
  /// The largest eccentricity seen: the diameter, if no peer is open.
  unsigned largest() const { return largest_; }
  /// No eccentricity is larger.
  unsigned most() const {
    unsigned most = largest_;
    for (const PeerId w : open_) most = std::max(most, upper_[w]);
    return most;
  }

 private:
  Search search_;
  std::vector<unsigned> lower_;
  std::vector<unsigned> upper_;
  std::vector<PeerId> open_;  // ascending
  unsigned largest_ = 0;
  bool at_the_rim_ = true;
};

/// What searches may cost, in links that are followed.
struct Budget {
  double single_searches;
  double batches;
};
constexpr double unlimited = std::numeric_limits<double>::infinity();
/// Some seconds each.
constexpr Budget a_few_seconds{4e8, 3e9};

Diameter diameter_within(const Graph& graph, const Budget& budget) {
  if (graph.min_degree() + 1 == graph.peer_count()) {
    const unsigned links = graph.peer_count() > 1 ? 1 : 0;
    return {links, links};
  }
  if (looks_the_same_from_everywhere(graph)) {
    const unsigned links = Search(graph).eccentricity(0);
    return {links, links};
  }
  EccentricityBounds bounds(graph);
  const double search_cost = graph.peer_count() + 2.0 * static_cast<double>(graph.edges().size());
  // A sweep costs about as much as two single searches and advances 512 of them by one link (measured).
  const auto cost_of_batches = [&] {
    return std::ceil(static_cast<double>(bounds.open().size()) / batch) * 2.0 * (bounds.largest() + 1) *
           search_cost;
  };
  // Single searches have had their chance once they have cost as much as batches would.
  for (double spent = 0.0; !bounds.open().empty(); spent += search_cost) {
    const bool batches_are_in_budget = cost_of_batches() <= budget.batches;
    if (spent > 0.0 && spent >= (batches_are_in_budget ? cost_of_batches() : budget.single_searches)) break;
    bounds.search();
  }
  if (bounds.open().empty() || cost_of_batches() > budget.batches) return {bounds.largest(), bounds.most()};
  unsigned largest = bounds.largest();
  const std::span<const PeerId> open = bounds.open();
  for (std::size_t first = 0; first < open.size(); first += batch)
    largest = std::max(
        largest, largest_eccentricity(graph, open.subspan(first, std::min(batch, open.size() - first))));
  return {largest, largest};
}

}  // namespace

Diameter bounded_diameter(const Graph& graph) { return diameter_within(graph, a_few_seconds); }

unsigned diameter(const Graph& graph) { return diameter_within(graph, {unlimited, unlimited}).least; }

}  // namespace hearsay
