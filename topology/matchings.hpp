#pragma once

#include <vector>

#include "topology/graph.hpp"

namespace hearsay {

/// The links of the graph split into matchings (no peer twice in one), by an edge coloring with at most 1 +
/// max degree colors (Misra, Gries 1992, by Boost.Graph). That takes seconds when links times squared max
/// degree reaches 2e8. Beyond, as on a star of 1,000, each link gets the first color free at both ends: at
/// most 2 max degree - 1 colors, and exactly max degree on a star. No matching is empty; each is ascending;
/// the same graph gives the same matchings.
std::vector<std::vector<Edge>> matchings(const Graph& graph);

}  // namespace hearsay
