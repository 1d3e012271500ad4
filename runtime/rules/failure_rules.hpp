#pragma once

#include "algorithms/seam/method.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// Throws Misuse for what the run cannot do about peers that fail, with this method: to go on without a peer
/// (failure.policy), to begin without some (failure.join_later), to replace its hub (failure.hub_standby), to
/// bear its [[fault]] tables, to keep checkpoints.
void check_failure_rules(const RunSettings& settings, const MethodInfo& method, const Graph& graph);

/// Throws Misuse unless a fault of the run starts each peer of failure.join_later, as `driver` wants it.
void require_starts_of_later(const RunSettings& settings, const char* driver);

/// Throws Misuse if there are faults: `driver` starts one process only, and does nothing to it.
void require_no_faults(const RunSettings& settings, const char* driver);

}  // namespace hearsay
