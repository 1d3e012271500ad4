#pragma once

#include "algorithms/seam/method.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Throws Misuse unless the run can bear its [[fault]] tables in the way that they say.
void check_faults(const RunSettings& settings, const MethodInfo& method);

/// Throws Misuse if there are faults: `driver` starts one process only, and does nothing to it.
void require_no_faults(const RunSettings& settings, const char* driver);

}  // namespace hearsay
