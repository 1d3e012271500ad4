#include "runtime/toml/nesting.hpp"

#include <algorithm>

namespace hearsay {
namespace {

constexpr std::size_t most_dots = 15;
constexpr std::size_t most_brackets = 32;

bool begins_at(std::string_view text, std::size_t at, std::string_view part) {
  return text.substr(at, part.size()) == part;
}

/// Returns the position after the string whose opening quote is at `at`. An unterminated one-line string ends
/// at the end of its line, as it does for the parser.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool escapes = quote == '"';
  const bool many_lines = begins_at(text, at, escapes ? "\"\"\"" : "'''");
  for (std::size_t k = at + (many_lines ? 3 : 1); k < text.size(); ++k) {
    if (escapes && text[k] == '\\') {
      ++k;
    } else if (many_lines) {
      if (text[k] != quote || !begins_at(text, k, text.substr(at, 3))) continue;
      // A multi-line string may end with up to two quotes of its own before the closing three.
      std::size_t end = k + 3;
      while (end < k + 5 && end < text.size() && text[end] == quote) ++end;
      return end;
    } else if (text[k] == quote) {
      return k + 1;
    } else if (text[k] == '\n') {
      return k;
    }
  }
  return text.size();
}

}  // namespace

std::optional<std::size_t> line_of_deep_nesting(std::string_view toml) {
  std::size_t brackets = 0;
  std::size_t dots = 0;
  std::size_t line = 1;
  for (std::size_t at = 0; at < toml.size();) {
    const char letter = toml[at];
    std::size_t next = at + 1;
    if (letter == '"' || letter == '\'') {
      next = end_of_string(toml, at);
    } else if (letter == '#') {
      next = std::min(toml.find('\n', at), toml.size());
    } else if (letter == '.') {
      ++dots;
    } else if (letter == '[' || letter == '{') {
      ++brackets;
      dots = 0;
    } else if (letter == ']' || letter == '}') {
      brackets -= std::min<std::size_t>(brackets, 1);
      dots = 0;
    } else if (letter == ',' || letter == '=' || letter == '\n') {
      dots = 0;
    }
    if (dots > most_dots || brackets > most_brackets) return line;
    line += static_cast<std::size_t>(std::ranges::count(toml.substr(at, next - at), '\n'));
    at = next;
  }
  return std::nullopt;
}

}  // namespace hearsay
