#pragma once

#include <string>
#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// Every key of a run file but the arrays of tables `network.peer` and `network.link`, in the order in which
/// they are read and written: a key that overrides another comes after it.
const std::vector<KeyRow<RunSettings>>& run_keys();

/// Keys that setting `key` makes void: "run.epochs" replaces "run.iterations", and so on. A later assignment
/// (--set, a sweep's variant) thereby wins over an earlier one that says the same thing in other words.
std::vector<std::string> replaced_keys(const std::string& key);

}  // namespace hearsay
