#pragma once

#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// Why nothing can be connected to at each of these addresses ("tcp://HOST:PORT"), all tried at once and each a single
/// time; empty where something accepts. ZeroMQ itself goes on trying and says nothing:
///
///     "connection refused: nobody listens there"      "the name nodeX is not known here (...)"
std::vector<std::string> failures_to_connect(const std::vector<std::string>& addresses, Duration patience);

}  // namespace hearsay
