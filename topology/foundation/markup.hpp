#pragma once

#include <string>
#include <string_view>

namespace hearsay {

/// Returns the text as the content of an HTML or SVG element says it.
std::string markup_text(std::string_view text);

}  // namespace hearsay
