#pragma once

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// Finds a header and a source of the same name with more than 500 lines together, and a file without such a
/// partner with more than 500.
Violations pairs_are_short(const SourceTree& tree);

}  // namespace hearsay
