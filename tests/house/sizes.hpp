#pragma once

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// Finds a header and a source of the same name with more than 500 lines together, and a file without such a
/// partner with more than 500.
Violations pairs_are_short(const SourceTree& tree);

/// Finds functions and test cases of more than 60 lines, from the head to the closing brace. A table is no
/// code that is read line by line: lines of a braced list of values that a name, a `return` or a loop takes
/// are not counted, but for those of a function in that list.
Violations functions_are_short(const SourceTree& tree);

}  // namespace hearsay
