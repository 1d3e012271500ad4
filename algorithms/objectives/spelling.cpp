#include "algorithms/objectives/spelling.hpp"

#include <charconv>

#include "topology/misuse.hpp"

namespace hearsay {

namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_word(std::string_view text) {
  for (const char c : text)
    if (c == '(' || c == ')' || c == ',' || c == '=') return false;
  return !text.empty();
}

}  // namespace

Spelling parse_spelling(std::string_view key, std::string_view text) {
  const auto malformed = [&] {
    return Misuse(std::string(key), std::string(text),
                  "expected a name, or a name with arguments in parentheses");
  };
  const std::string_view whole = trimmed(text);
  const auto open = whole.find('(');
  Spelling result{std::string(trimmed(whole.substr(0, open))), {}};
  if (!is_word(result.name)) throw malformed();
  if (open == std::string_view::npos) return result;
  if (whole.back() != ')') throw malformed();
  std::string_view rest = whole.substr(open + 1, whole.size() - open - 2);
  for (bool more = true; more;) {
    const auto comma = rest.find(',');
    more = comma != std::string_view::npos;
    const std::string_view part = rest.substr(0, comma);
    if (more) rest.remove_prefix(comma + 1);
    const auto equals = part.find('=');
    const bool named = equals != std::string_view::npos;
    const std::string_view name = named ? trimmed(part.substr(0, equals)) : std::string_view{};
    const std::string_view value = trimmed(named ? part.substr(equals + 1) : part);
    if ((named && !is_word(name)) || !is_word(value)) throw malformed();
    result.arguments.push_back({std::string(name), std::string(value)});
  }
  return result;
}

std::int64_t whole_number(std::string_view key, std::string_view text, std::string_view value,
                          std::int64_t least, std::int64_t most) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc{} || end != value.data() + value.size() || number < least || number > most)
    throw Misuse(std::string(key), std::string(text),
                 "\"" + std::string(value) + "\" is not a whole number from " + std::to_string(least) +
                     " to " + std::to_string(most));
  return number;
}

}  // namespace hearsay
