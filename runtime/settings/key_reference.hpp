#pragma once

#include <span>
#include <string>

#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// Every key of a run file with its type, default, readers and meaning: those of `run_file_keys`, in this
/// order, and those of [sweep].
std::span<const KeyInfo> key_reference();

/// The reference as a table in Markdown, a line each, which `hearsay list --markdown keys` prints.
std::string keys_markdown();

}  // namespace hearsay
