#pragma once

#include <string>
#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// Returns every key of a run file except the arrays of tables `network.peer` and `network.link`. Keys are
/// read and written in this order, so a key that overrides another key comes after that key.
const std::vector<KeyRow<RunSettings>>& run_keys();

/// Returns the keys that an assignment to `key` unsets, because they say the same thing in other words:
/// "run.iterations" for "run.epochs".
std::vector<std::string> replaced_keys(const std::string& key);

}  // namespace hearsay
