#pragma once

#include <string>
#include <vector>

#include "topology/graph.hpp"

namespace hearsay {

/// A picture of the graph as an SVG document: a grid or torus in rows and columns (links that wrap around are
/// arcs), a star around its hub, everything else on a circle in the order of the peers. Names are their
/// numbers unless given, and left out beyond 100 peers.
std::string to_svg(const Graph& graph, const std::vector<std::string>& names = {});

}  // namespace hearsay
