#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace hearsay {

/// Returns the first line (from 1) on which a key has more than 16 parts, or on which more than 32 brackets
/// and braces are open; empty if there is no such line. A TOML parser recurses into every part of a key and
/// every bracket, so a hostile file could exhaust the stack. This scan does not recurse.
std::optional<std::size_t> line_of_deep_nesting(std::string_view toml);

}  // namespace hearsay
