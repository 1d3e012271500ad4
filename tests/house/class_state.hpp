#pragma once

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// Finds classes of topology/, algorithms/, runtime/ and tools/ with more than 20 fields. A field is what the
/// style calls one: a member whose name ends in an underscore.
Violations classes_have_few_fields(const SourceTree& tree);

}  // namespace hearsay
