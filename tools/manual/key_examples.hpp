#pragma once

#include <string>

#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// Returns the lines of a run file that set the key to a value other than the default, with the table in
/// which they stand and the keys that have to be set beside it:
///
///     [failure]
///     policy = "drop"
///     join_later = [4, 6]
///
/// An option of methods stands with a method that reads it.
std::string key_example(const KeyInfo& key);

}  // namespace hearsay
