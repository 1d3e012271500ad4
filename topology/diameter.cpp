#include <algorithm>
#include <array>
#include <cstdint>

#include "topology/foundation/ensure.hpp"
#include "topology/graph.hpp"

namespace hearsay {
namespace {

constexpr unsigned unseen = ~0u;

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

}  // namespace

unsigned eccentricity(const Graph& graph, PeerId peer) { return Search(graph).eccentricity(peer); }

unsigned diameter(const Graph& graph) {
  if (graph.min_degree() + 1 == graph.peer_count()) return graph.peer_count() > 1 ? 1 : 0;
  Search search(graph);
  unsigned largest = search.eccentricity(0);
  // A sweep costs about as much as two single searches and advances 512 of them by one link, so sweeps win up
  // to a diameter of some 200 (measured). The diameter is at most twice any eccentricity, and usually less:
  // hence 150 for that of peer 0.
  if (largest < 150) {
    for (std::uint64_t peer = 0; peer < graph.peer_count(); peer += batch)
      largest = std::max(largest, largest_eccentricity(graph, static_cast<PeerId>(peer)));
  } else {
    for (PeerId peer = 1; peer < graph.peer_count(); ++peer)
      largest = std::max(largest, search.eccentricity(peer));
  }
  return largest;
}

}  // namespace hearsay
