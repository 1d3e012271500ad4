#pragma once

#include "algorithms/seam/method.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Throws Misuse if the policy is "drop" and the method, with its options, cannot go on without a peer.
void require_droppable(const RunSettings& settings, const MethodInfo& method);

}  // namespace hearsay
