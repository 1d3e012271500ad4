#pragma once

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// Finds uses of sockets, clocks, threads, processes, file formats and random numbers outside the few files
/// that may use them.
Violations keep_bans(const SourceTree& tree);

}  // namespace hearsay
