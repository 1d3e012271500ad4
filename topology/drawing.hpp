#pragma once

#include <string>
#include <vector>

#include "topology/graph.hpp"

namespace hearsay {

/// A picture of the graph as an SVG document: a grid or torus in rows and columns (links that wrap around are
/// arcs), a star around its hub, everything else on a circle in the order of the peers. A peer's name is its
/// number unless names are given. Beyond 100 peers, names are left out.
std::string to_svg(const Graph& graph, const std::vector<std::string>& names = {});

}  // namespace hearsay
