#pragma once

#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// For each of these addresses ("tcp://HOST:PORT"): why no connection to it can be made, or an empty text if
/// one can. All are tried at once, each a single time. ZeroMQ itself would keep trying and say nothing.
///
///     "connection refused: nobody listens there"      "the name nodeX is not known here (...)"
std::vector<std::string> failures_to_connect(const std::vector<std::string>& addresses, Duration patience);

}  // namespace hearsay
