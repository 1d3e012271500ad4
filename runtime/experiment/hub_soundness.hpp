#pragma once

#include "runtime/experiment/experiment.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// Throws Misuse unless the graph is a star around peer 0, and the same in every round. It may be a tree of
/// two levels below peer 0 if the method permits that (MethodInfo::permits_tree).
void require_star(const RunSettings& settings, const Graph& graph);

/// Checks that a method with a hub is sound with its compressors in both directions, and with its memories.
/// Throws Misuse, or adds a warning, as `check_soundness` does.
template <class Scalar>
void check_hub(Experiment<Scalar>& experiment);

}  // namespace hearsay
