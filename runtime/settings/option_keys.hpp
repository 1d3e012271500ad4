#pragma once

#include <vector>

#include "algorithms/seam/method_options.hpp"
#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// Returns the keys of [algorithm] that only some methods read, named by their last part: those of
/// `option_rows`.
std::vector<KeyRow<MethodOptions>> method_option_keys();

}  // namespace hearsay
