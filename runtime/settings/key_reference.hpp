#pragma once

#include <span>
#include <string>

#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// Returns every key of a run file with its type, default, readers and meaning: first the keys of
/// `run_file_keys`, in that order, then the keys of [sweep].
std::span<const KeyInfo> key_reference();
/// Returns the row of the key, which is one of the reference.
const KeyInfo& key_named(const std::string& key);

/// Returns a text for a cell of a table: as it is if it is short, else its first clause and " ...".
std::string cell_text(const std::string& text);

/// Returns these keys as a Markdown table with a row per key, for `hearsay list --markdown keys`.
std::string keys_markdown();

}  // namespace hearsay
