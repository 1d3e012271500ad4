#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// Returns the keys of run files, in the order of a file: all, or those of a table ("network"), or one
/// ("network.latency"). Throws Misuse, with the nearest name, if there is none of that name.
std::vector<KeyInfo> keys_named(const std::string& table_or_key);

/// Returns for every key its type, default, meaning and readers. Lines have at most 110 columns.
std::string keys_text(const std::vector<KeyInfo>& keys);

/// Returns the same: [{"key": .., "type": .., "default": .., "read_by": .., "description": .., "link": ..},
/// ..]. The link leads to the page that says more, relative to runtime/settings/; it may be empty.
nlohmann::ordered_json keys_json(const std::vector<KeyInfo>& keys);

}  // namespace hearsay
