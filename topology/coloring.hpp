#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph.hpp"

namespace hearsay {

/// The smallest color 0, 1, ... that none of its neighbors has, peer by peer in the order of a breadth-first search from peer
/// 0 (from the first peer of every further component). No two neighbors have the same color; at most 1 + max degree
/// colors; two on a bipartite graph, which the order sees to.
///
/// To point every link from its end of larger color to the other is an acyclic orientation: colors fall along any path. A
/// peer has a neighbor of every smaller color, so that only those of color 0, of whom no two are neighbors, point at nobody.
std::vector<std::uint32_t> greedy_coloring(const Graph& graph);

}  // namespace hearsay
