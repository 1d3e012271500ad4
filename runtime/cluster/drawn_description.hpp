#pragma once

#include <string>

#include "runtime/cluster/topology_description.hpp"
#include "topology/interchange.hpp"

namespace hearsay {

/// Returns the description that a graph file gives. Its attributes are checked like the keys of a TOML file.
/// Link weights are read only `with_weights`.
///
/// Parallel links that are merged add their weights and their bandwidths, and have the shortest of their
/// latencies. Opposite arcs that are made a link have the mean of their weights, the smaller bandwidth and
/// the longer latency.
TopologyDescription describe(const AnnotatedGraph& drawn, const std::string& source, bool with_weights);

}  // namespace hearsay
