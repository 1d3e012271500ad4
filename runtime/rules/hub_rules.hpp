#pragma once

#include "algorithms/seam/advice.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// Throws Misuse for a topology.hub that the run cannot have.
void require_sensible_hub(const RunSettings& settings);

/// Throws Misuse unless the graph is a star around peer 0, and the same in every round. It may be a tree of
/// two levels below peer 0 if the method permits that (MethodInfo::permits_tree).
void require_star(const RunSettings& settings, const Graph& graph);

/// Warns of a file of a star around another peer than the hub: it is a tree of one group.
void check_centre(const RunSettings& settings, const Graph& graph, Advice& advice);

}  // namespace hearsay
