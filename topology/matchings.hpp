#pragma once

#include <vector>

#include "topology/graph.hpp"

namespace hearsay {

/// The links of the graph split into matchings (no peer twice in one): an edge coloring with at most
/// 1 + max degree colors (Misra, Gries 1992, by Boost.Graph). None is empty; each is ascending; the same
/// graph gives the same matchings.
std::vector<std::vector<Edge>> matchings(const Graph& graph);

}  // namespace hearsay
