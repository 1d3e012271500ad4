#pragma once

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// Finds what keeps sources of a folder from being compiled as one unit, whichever of them a unit takes: a
/// name in the anonymous namespaces of two of them, and a test whose names are in no namespace of its own.
Violations sources_compile_together(const SourceTree& tree);

}  // namespace hearsay
