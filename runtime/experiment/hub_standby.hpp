#pragma once

#include <vector>

#include "algorithms/seam/method.hpp"
#include "algorithms/seam/pattern.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// Throws Misuse unless failure.hub_standby names a worker that can take over from the hub (standby_hub.hpp),
/// or nobody.
void check_hub_standby(const RunSettings& settings, const MethodInfo& method, const Graph& graph);

/// Adds the standby to the partners of a worker, and the other workers to those of the standby.
void add_partners_of_standby(PeerId standby, PeerId id, PeerId peer_count, Partners& partners);

/// Returns the peers to which `id` sends no message of the method as long as nobody is lost: those of a
/// standby are the other workers, and theirs is nobody.
std::vector<PeerId> quiet_destinations(const RunSettings& settings, PeerId id);

}  // namespace hearsay
