#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph.hpp"

namespace hearsay {

/// A color 0, 1, ... for every peer. No two neighbors have the same color. Peer by peer, each gets the
/// smallest color that none of its neighbors has, in the order of a breadth-first search from peer 0 (from
/// the first peer of every further component). There are at most 1 + max degree colors, and by that order two
/// on a bipartite graph.
///
/// If every link points from its end of larger color to the other, the orientation is acyclic: colors fall
/// along any path. A peer has a neighbor of every smaller color. So only the peers of color 0, no two of
/// which are neighbors, point at nobody.
std::vector<std::uint32_t> greedy_coloring(const Graph& graph);

}  // namespace hearsay
