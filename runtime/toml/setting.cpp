#include "runtime/toml/setting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <variant>

#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

std::optional<double> finite_number(const TomlValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*integer);
  if (const auto* number = std::get_if<double>(&value.data); number && std::isfinite(*number)) return *number;
  return std::nullopt;
}

bool is_name_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string Setting::label() const {
  const std::string place = value.place.text();
  return place.empty() ? key : place + ": " + key;
}

void Setting::refuse(const std::string& expectation) const {
  constexpr std::size_t longest = 100;
  std::string spelled = toml_as_written(value);
  if (spelled.size() > longest) spelled.replace(longest, std::string::npos, " ...");
  throw Misuse(label(), spelled, "expected " + expectation);
}

const std::string& Setting::text() const {
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  refuse("text in quotes");
}

const std::string& Setting::name() const {
  const std::string& name = text();
  if (name.empty()) refuse("text that is not empty");
  return name;
}

bool Setting::flag() const {
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  refuse("true or false");
}

double Setting::number() const {
  if (const auto number = finite_number(value)) return *number;
  refuse("a number");
}

double Setting::non_negative() const {
  if (const auto number = finite_number(value); number && *number >= 0.0) return *number;
  refuse("a number >= 0");
}

double Setting::positive() const {
  if (const auto number = finite_number(value); number && *number > 0.0) return *number;
  refuse("a number > 0");
}

std::uint64_t Setting::count(std::uint64_t minimum, std::uint64_t maximum) const {
  if (const auto* integer = std::get_if<std::int64_t>(&value.data); integer && *integer >= 0) {
    const auto count = static_cast<std::uint64_t>(*integer);
    if (count >= minimum && count <= maximum) return count;
  }
  // TOML has no integers beyond 2^63 - 1, so such a number arrives as text.
  const auto* const digits = std::get_if<std::string>(&value.data);
  const bool is_huge = digits && !digits->empty() && digits->find_first_not_of("0123456789") == digits->npos;
  const std::string limit = maximum == largest_count && !is_huge ? "" : " and <= " + std::to_string(maximum);
  const bool has_a_point = std::holds_alternative<double>(value.data);
  refuse("a whole number >= " + std::to_string(minimum) + limit +
         (has_a_point ? ", in digits only, such as 1000 for 1e3" : ""));
}

std::vector<std::string> Setting::texts() const {
  const std::string expectation = "an array of texts, such as [\"python3\", \"train.py\"]";
  const auto* const array = std::get_if<TomlArray>(&value.data);
  if (array == nullptr) refuse(expectation);
  std::vector<std::string> texts;
  for (const TomlValue& element : *array) {
    const auto* const text = std::get_if<std::string>(&element.data);
    if (text == nullptr || text->empty()) refuse(expectation);
    texts.push_back(*text);
  }
  return texts;
}

std::vector<PeerId> Setting::distinct_ids() const {
  const std::string expectation = "an array of peers' ids, each once, such as [4, 6]";
  const auto* const array = std::get_if<TomlArray>(&value.data);
  if (array == nullptr) refuse(expectation);
  std::vector<PeerId> ids;
  for (const TomlValue& element : *array) {
    const auto* const integer = std::get_if<std::int64_t>(&element.data);
    if (integer == nullptr || *integer < 0 || *integer > std::numeric_limits<PeerId>::max())
      refuse(expectation);
    ids.push_back(static_cast<PeerId>(*integer));
  }
  std::ranges::sort(ids);
  if (std::ranges::adjacent_find(ids) != ids.end()) refuse(expectation);
  return ids;
}

std::size_t Setting::one_of(const std::vector<std::string_view>& names) const {
  std::string expected;
  std::size_t index = 0;
  for (const std::string_view name : names) {
    if (const auto* text = std::get_if<std::string>(&value.data); text && *text == name) return index;
    expected += (index++ == 0 ? "" : " or ") + toml_text(name);
  }
  refuse(expected);
}

Bandwidth Setting::bandwidth() const {
  if (const auto* text = std::get_if<std::string>(&value.data)) return parse_bandwidth(label(), *text);
  refuse("text with a number and a unit, such as \"10 Mbit/s\", or \"unlimited\"");
}

Duration Setting::duration() const {
  if (const auto* text = std::get_if<std::string>(&value.data)) return parse_duration(label(), *text);
  refuse("text with a number and a unit, such as \"5 ms\"");
}

double Setting::share() const {
  if (const auto* text = std::get_if<std::string>(&value.data)) return parse_share(label(), *text);
  if (const auto number = finite_number(value); number && *number >= 0.0 && *number <= 1.0) return *number;
  refuse("a share between 0 and 1, such as 0.01 or \"1%\"");
}

std::filesystem::path Setting::path(const std::filesystem::path& directory) const {
  return resolve_path(name(), directory);
}

std::filesystem::path Setting::resolve_path(std::string_view text,
                                            const std::filesystem::path& directory) const {
  std::string expanded;
  while (!text.empty()) {
    const std::size_t dollar = text.find('$');
    expanded += text.substr(0, dollar);
    if (dollar == std::string_view::npos) break;
    text.remove_prefix(dollar + 1);
    if (text.starts_with('$')) {
      expanded += '$';
      text.remove_prefix(1);
      continue;
    }
    const bool braced = text.starts_with('{');
    if (braced) text.remove_prefix(1);
    std::size_t end = 0;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const std::string variable(text.substr(0, end));
    text.remove_prefix(end);
    if (variable.empty() || (braced && !text.starts_with('}')))
      refuse("$NAME or ${NAME} of an environment variable (a dollar itself is $$)");
    if (braced) text.remove_prefix(1);
    const char* const content = std::getenv(variable.c_str());
    if (content == nullptr) refuse("the environment variable " + variable + " to be set");
    expanded += content;
  }
  if (expanded.empty()) refuse("a path that is not empty");
  return (directory / expanded).lexically_normal();
}

std::string spelled_path(std::string path) {
  for (std::size_t dollar = path.find('$'); dollar != std::string::npos; dollar = path.find('$', dollar + 2))
    path.insert(dollar, 1, '$');
  return path;
}

}  // namespace hearsay
