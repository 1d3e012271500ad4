#pragma once

#include <vector>

#include "topology/graph.hpp"

namespace hearsay {

/// Splits the links of the graph into matchings: no peer occurs twice in a matching. An edge coloring with at
/// most 1 + max degree colors (Misra, Gries 1992, by Boost.Graph). If links times max degree squared exceeds
/// 2e8, as on a star of 1,000, that would take seconds. Then each link gets the first color that is free at
/// both ends: at most 2 max degree - 1 colors, and exactly max degree on a star. No matching is empty, and
/// the links of each ascend. The same graph gives the same matchings.
std::vector<std::vector<Edge>> matchings(const Graph& graph);

}  // namespace hearsay
