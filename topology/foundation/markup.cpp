#include "topology/foundation/markup.hpp"

namespace hearsay {

std::string markup_text(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '<')
      result += "&lt;";
    else if (letter == '&')
      result += "&amp;";
    else
      result += letter;
  }
  return result;
}

}  // namespace hearsay
