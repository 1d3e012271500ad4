#pragma once

#include <string>
#include <vector>

#include "algorithms/seam/method.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// Checks that the method goes with the links, the weights and the schedule. Throws Misuse if it does not, or
/// warns if algorithm.allow_unsound permits it.
void check_mixing(const RunSettings& settings, const MethodInfo& method, const NamedTopology& topology,
                  const Schedule& schedule, std::vector<std::string>& warnings);

}  // namespace hearsay
