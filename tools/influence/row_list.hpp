#pragma once

#include <string>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

/// Returns the numbers of a list such as "0,7,20-29", each below `count`. Throws Misuse for option `name`.
std::vector<Index> row_list(const std::string& name, const std::string& text, Index count);

}  // namespace hearsay
