#pragma once

#include <vector>

#include "algorithms/seam/method_options.hpp"
#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// The keys of [algorithm] that only some methods read, by the last part of their names.
std::vector<KeyRow<MethodOptions>> method_option_keys();

}  // namespace hearsay
