#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hearsay {

/// Returns the words as a sentence lists them: "A", "A and B", "A, B and C"; empty for none.
inline std::string enumerated(std::span<const std::string> words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k)
    text += (k == 0 ? "" : k + 1 == words.size() ? " and " : ", ") + words[k];
  return text;
}

}  // namespace hearsay
