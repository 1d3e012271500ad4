#pragma once

#include "runtime/cluster/topology_description.hpp"
#include "topology/graph.hpp"
#include "topology/interchange.hpp"

namespace hearsay {

/// Returns the graph of the links that the file lists.
Graph listed_graph(const TopologyDescription& description);

/// Misuse if the graph is not connected: it names the peers that are cut off from the largest part, and the
/// command that leaves them out.
void require_connected(const Graph& graph, const TopologyDescription& description,
                       const GraphMending& mending);

/// Leaves out the peers that are not in the largest part of the graph, the first of several such parts; a
/// notice names them.
void keep_largest_component(TopologyDescription& description);

}  // namespace hearsay
