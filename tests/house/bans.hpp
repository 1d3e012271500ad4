#pragma once

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// What belongs to few files: sockets, clocks, threads, processes, file formats, random numbers.
Violations keep_bans(const SourceTree& tree);

}  // namespace hearsay
