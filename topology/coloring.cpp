#include "topology/coloring.hpp"

#include <algorithm>
#include <limits>

namespace hearsay {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

std::uint32_t smallest_free(const Graph& graph, PeerId peer, const std::vector<std::uint32_t>& colors) {
  std::vector<bool> taken(graph.degree(peer) + 1);  // one of degree + 1 colors is free
  for (const PeerId neighbor : graph.neighbors(peer))
    if (colors[neighbor] < taken.size()) taken[colors[neighbor]] = true;
  return static_cast<std::uint32_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
}

}  // namespace

std::vector<std::uint32_t> greedy_coloring(const Graph& graph) {
  std::vector<std::uint32_t> colors(graph.peer_count(), none);
  std::vector<bool> seen(graph.peer_count());
  std::vector<PeerId> queue;
  for (PeerId start = 0; start < graph.peer_count(); ++start) {
    if (seen[start]) continue;
    seen[start] = true;
    queue.assign(1, start);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const PeerId peer = queue[next];
      colors[peer] = smallest_free(graph, peer, colors);
      for (const PeerId neighbor : graph.neighbors(peer)) {
        if (seen[neighbor]) continue;
        seen[neighbor] = true;
        queue.push_back(neighbor);
      }
    }
  }
  return colors;
}

}  // namespace hearsay
