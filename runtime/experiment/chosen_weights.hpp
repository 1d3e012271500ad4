#pragma once

#include <string>
#include <vector>

#include "algorithms/seam/method.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// True if no eigenvalue of W is too small for the method with these options.
bool eigenvalues_suffice(const MixingMatrix& mixing, const MethodInfo& method, const MethodOptions& options);

/// Returns the words for what `smallest_eigenvalue_needed` permits: "above -0.333".
std::string range_of_eigenvalues(double limit);

/// Returns the topology of the run. topology.kind = "auto" is a star for methods with a hub, else a ring.
/// Under topology.weights = "auto" it has Metropolis weights, or lazy ones if the method needs larger
/// eigenvalues; `notes` then says so.
NamedTopology topology_of(const RunSettings& settings, std::vector<std::string>& notes);

}  // namespace hearsay
