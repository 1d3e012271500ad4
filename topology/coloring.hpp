#pragma once

#include <cstdint>
#include <vector>

#include "topology/graph.hpp"

namespace hearsay {

/// Returns a color 0, 1, ... for every peer, such that no two neighbors have the same. The peers are visited
/// in the order of a breadth-first search from peer 0 (from the lowest peer of every further component); each
/// gets the smallest color that none of its neighbors has. There are at most 1 + max degree colors and, by
/// that order, two on a bipartite graph.
///
/// Orient every link from its end of larger color to the other: the orientation is acyclic, since colors fall
/// along any path. Every peer has a neighbor of every smaller color, so the peers without an outgoing link
/// are exactly those of color 0, and no two of them are neighbors.
std::vector<std::uint32_t> greedy_coloring(const Graph& graph);

}  // namespace hearsay
