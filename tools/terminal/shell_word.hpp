#pragma once

#include <string>

namespace hearsay {

/// Returns the text as one word of a POSIX shell, whatever characters it holds.
std::string shell_word(const std::string& text);

}  // namespace hearsay
