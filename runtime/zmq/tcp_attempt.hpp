#pragma once

#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// Returns, for each of these addresses ("tcp://HOST:PORT"), why TCP cannot connect to it; an empty text if
/// it can. All connections are attempted at once, each a single time. (ZeroMQ itself would try forever and
/// say nothing.)
///
///     "connection refused: nobody listens there"      "the name nodeX is not known here (...)"
std::vector<std::string> failures_to_connect(const std::vector<std::string>& addresses, Duration patience);

}  // namespace hearsay
