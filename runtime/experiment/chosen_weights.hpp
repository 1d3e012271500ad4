#pragma once

#include <string>
#include <vector>

#include "runtime/cluster/topology_file.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Returns the topology of the run. topology.kind = "auto" is a star for methods with a hub, else a ring.
/// Under topology.weights = "auto" it has Metropolis weights, or lazy ones if the method needs larger
/// eigenvalues; `notes` then says so.
NamedTopology topology_of(const RunSettings& settings, std::vector<std::string>& notes);

}  // namespace hearsay
