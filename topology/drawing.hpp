#pragma once

#include <string>
#include <vector>

#include "topology/graph.hpp"

namespace hearsay {

/// Returns a picture of the graph as an SVG document: a grid or torus in rows and columns (its links that
/// wrap around are arcs), a star around its hub, any other graph on a circle in the order of the peers. A
/// peer is labeled with its name, or its number if `names` is empty. Beyond `most_labeled` peers there are no
/// labels, and the picture is smaller.
std::string to_svg(const Graph& graph, const std::vector<std::string>& names = {}, PeerId most_labeled = 100);

}  // namespace hearsay
