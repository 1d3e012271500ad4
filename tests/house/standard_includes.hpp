#pragma once

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// Finds headers of topology/, algorithms/, runtime/ and tools/ that name a part of the standard library
/// whose header neither they nor a header of ours that they include includes. It finds only the parts in the
/// headers that every source begins with (HEARSAY_PRECOMPILED), and in <cstddef>: no compiler of a build
/// misses those.
Violations headers_include_what_they_name(const SourceTree& tree);

}  // namespace hearsay
