#pragma once

#include <vector>

#include "algorithms/seam/method.hpp"
#include "runtime/wire/agreement.hpp"

namespace hearsay {

/// Returns the options of a run as its agreement has them: `algorithm.NAME`, "unset" if the run does not set
/// it. First those of protocol 7, whatever the method reads, in the order and under the names that they had
/// when it was fixed: so the run ids of earlier versions stay, and with them their checkpoints. Options that
/// came later follow if the method reads them.
std::vector<AgreedSetting> agreed_options(const MethodOptions& options, const MethodInfo& method);

}  // namespace hearsay
