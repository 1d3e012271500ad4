#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace hearsay {

/// The line of a TOML text, counted from 1, on which a key has more than 16 parts or more than 32 brackets
/// and braces are open; nothing where there is none. Whoever reads TOML descends into every part of a key and
/// every bracket, so a hostile file could exhaust the stack: this looks at letters only, and goes no deeper
/// itself.
std::optional<std::size_t> line_of_deep_nesting(std::string_view toml);

}  // namespace hearsay
