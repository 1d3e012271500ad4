#pragma once

#include <string>
#include <vector>

#include "algorithms/seam/method.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// Throws Misuse unless the run can begin without the peers of failure.join_later, and the method lets them
/// join later.
void check_join_later(const RunSettings& settings, const MethodInfo& method, const Graph& graph);

/// Throws Misuse unless a fault of the run starts each peer of failure.join_later, as `driver` wants it.
void require_starts_of_later(const RunSettings& settings, const char* driver);

}  // namespace hearsay
