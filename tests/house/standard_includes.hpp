#pragma once

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// Finds headers of topology/, algorithms/, runtime/ and tools/ that name a part of the standard library
/// whose header neither they nor a header of ours that they include includes. Compilers do not miss what the
/// headers that every source begins with (HEARSAY_PRECOMPILED) bring along. A name that the rule does not
/// know is a violation, so it knows all.
Violations headers_include_what_they_name(const SourceTree& tree);

}  // namespace hearsay
