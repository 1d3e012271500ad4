#pragma once

#include <string>
#include <vector>

#include "algorithms/seam/method.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// failure.join_later: the run can begin without those peers, and the method takes them in later. Misuse otherwise.
void check_join_later(const RunSettings& settings, const MethodInfo& method, const Graph& graph);

/// As in a run file: "[4, 6]". At least one.
std::string list_of(const std::vector<PeerId>& ids);

/// Misuse where there are such peers: `driver` starts all peers itself, at once.
void require_all_from_the_start(const RunSettings& settings, const char* driver);

}  // namespace hearsay
