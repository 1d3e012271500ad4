#include "topology/foundation/spelling.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {
namespace {

/// True if the number in decimal digits is between -1 and 1.
bool is_below_one(std::string_view decimal) {
  const std::size_t e = std::min(decimal.find_first_of("eE"), decimal.size());
  const std::string_view digits = decimal.substr(0, e);
  std::string_view power = decimal.substr(std::min(e + 1, decimal.size()));
  if (power.starts_with('+')) power.remove_prefix(1);
  constexpr std::int64_t beyond_any_text = 1'000'000'000'000'000'000;
  std::int64_t exponent = 0;
  if (std::from_chars(power.data(), power.data() + power.size(), exponent).ec ==
          std::errc::result_out_of_range ||
      std::abs(exponent) > beyond_any_text)
    exponent = power.starts_with('-') ? -beyond_any_text : beyond_any_text;
  const auto point = static_cast<std::int64_t>(std::min(digits.find('.'), digits.size()));
  const auto first = static_cast<std::int64_t>(std::min(digits.find_first_of("123456789"), digits.size()));
  return exponent + (first < point ? point - first - 1 : point - first) < 0;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Spelling parse_spelling(const std::string& key, std::string_view text) {
  const std::string_view whole = trimmed(text);
  const auto wrong = [&] {
    return Misuse(key, std::string(text), "expected a name, or a name and arguments: name(argument, ...)");
  };
  const auto open = whole.find('(');
  Spelling spelling{std::string(trimmed(whole.substr(0, open))), {}};
  if (spelling.name.empty() || spelling.name.find_first_of("), \t") != std::string::npos) throw wrong();
  if (open == std::string_view::npos) return spelling;

  if (whole.back() != ')') throw wrong();
  std::string_view inside = whole.substr(open + 1, whole.size() - open - 2);
  if (inside.find_first_of("()") != std::string_view::npos) throw wrong();
  for (bool more = true; more;) {
    const auto comma = inside.find(',');
    const std::string_view argument = trimmed(inside.substr(0, comma));
    if (argument.empty()) throw wrong();
    spelling.arguments.emplace_back(argument);
    more = comma != std::string_view::npos;
    if (more) inside.remove_prefix(comma + 1);
  }
  return spelling;
}

const Choice& find_choice(const std::string& key, std::string_view name, std::span<const Choice> choices) {
  const auto named = [&](std::string_view wanted) {
    return std::find_if(choices.begin(), choices.end(),
                        [&](const Choice& choice) { return choice.name == wanted; });
  };
  if (const auto found = named(name); found != choices.end()) return *found;
  std::vector<std::string> names;
  std::string known;
  for (const Choice& choice : choices) {
    names.push_back(choice.name);
    known += (known.empty() ? "" : ", ") + choice.name + choice.arguments;
  }
  // The comparison takes time in proportion to the length, and every known name is shorter than this.
  const auto likely = named(likely_name(name.substr(0, 64), names));
  throw Misuse(key, std::string(name),
               likely == choices.end()
                   ? "expected one of " + known
                   : "did you mean " + likely->name + likely->arguments + "? (known: " + known + ")");
}

bool parse_whole(std::string_view text, std::uint64_t& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && rest == end;
}

bool parse_number(std::string_view text, double& value) {
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest != end) return false;
  if (error == std::errc::result_out_of_range && is_below_one(text)) {
    value = text.starts_with('-') ? -0.0 : 0.0;
    return true;
  }
  return error == std::errc() && std::isfinite(value);
}

std::string number_text(double value) {
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  ensure(error == std::errc(), "a double fits in 32 characters");
  return std::string(text.data(), end);
}

std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

}  // namespace hearsay
