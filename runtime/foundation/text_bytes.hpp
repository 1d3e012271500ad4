#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace hearsay {

/// Returns why these bytes are no text: "it is gzip data; gunzip it first", "byte 17 is NUL". Empty if they
/// may be text. UTF-8 is not checked, except for the marks of UTF-16.
std::optional<std::string> defect_of_text(std::string_view bytes);

/// Returns the text without the byte order mark of UTF-8, which some editors write at its beginning.
std::string_view without_byte_order_mark(std::string_view text);

/// Returns the text as it may be shown on a terminal: control characters, and bytes that are no UTF-8, are
/// spelled "\x1b". Letters of all languages stay.
std::string printable(std::string_view text);

}  // namespace hearsay
