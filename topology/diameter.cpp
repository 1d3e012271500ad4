#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "topology/foundation/ensure.hpp"
#include "topology/graph.hpp"
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

/// The largest eccentricity among the peers first ... first + 511. It equals the number of sweeps in which
/// some search reaches a new peer. In a sweep every peer is reached by all searches that had reached a
/// neighbor of it.
unsigned largest_eccentricity(const Graph& graph, PeerId first) {
  std::vector<Reached> before(graph.peer_count(), Reached{});
  const std::size_t searches = std::min<std::size_t>(batch, graph.peer_count() - first);
  for (std::size_t k = 0; k < searches; ++k) before[first + k][k / 64] |= std::uint64_t{1} << (k % 64);
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
/// and no peer is searched from whose upper bound is not above the largest eccentricity seen. Searches start
/// by turns at the largest upper bound and at the smallest lower one: the rim, and the middle, whose search
/// rules out most of the others. A path takes 3 searches; a graph that looks alike from many peers takes
/// about as many.
unsigned diameter_by_bounds(const Graph& graph, Search& search) {
  std::vector<unsigned> lower(graph.peer_count(), 0);
  std::vector<unsigned> upper(graph.peer_count(), ~0u);
  std::vector<PeerId> open(graph.peer_count());
  std::iota(open.begin(), open.end(), PeerId{0});
  unsigned largest = 0;
  for (bool at_the_rim = true; !open.empty(); at_the_rim = !at_the_rim) {
    const PeerId from = at_the_rim ? *std::ranges::max_element(open, {}, [&](PeerId w) { return upper[w]; })
                                   : *std::ranges::min_element(open, {}, [&](PeerId w) { return lower[w]; });
    const unsigned found = search.eccentricity(from);
    largest = std::max(largest, found);
    for (const PeerId w : open) {
      const unsigned distance = search.distances()[w];
      lower[w] = std::max({lower[w], distance, found - distance});
      upper[w] = std::min(upper[w], found + distance);
    }
    std::erase_if(open, [&](PeerId w) { return w == from || upper[w] <= largest; });
  }
  return largest;
}

}  // namespace

unsigned diameter(const Graph& graph) {
  if (graph.min_degree() + 1 == graph.peer_count()) return graph.peer_count() > 1 ? 1 : 0;
  Search search(graph);
  unsigned largest = search.eccentricity(0);
  if (looks_the_same_from_everywhere(graph)) return largest;
  // A sweep costs about as much as two single searches and advances 512 of them by one link, so sweeps win up
  // to a diameter of some 200 (measured). The diameter is at most twice any eccentricity, and usually less:
  // hence 150 for that of peer 0.
  if (largest >= 150) return diameter_by_bounds(graph, search);
  for (std::uint64_t peer = 0; peer < graph.peer_count(); peer += batch)
    largest = std::max(largest, largest_eccentricity(graph, static_cast<PeerId>(peer)));
  return largest;
}

}  // namespace hearsay
