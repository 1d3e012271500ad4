#pragma once

#include <string>

namespace hearsay {

/// The text as one word of a POSIX shell, whatever is in it.
std::string shell_word(const std::string& text);

}  // namespace hearsay
