#include "runtime/toml/document.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <sstream>
#include <system_error>
#include <utility>

#include "runtime/foundation/text_bytes.hpp"
#include "runtime/toml/nesting.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

/// A TOML text, from which the numbers in it are read as they are written.
class WrittenToml {
 public:
  explicit WrittenToml(std::string_view text) : text_(without_byte_order_mark(text)) {
    for (std::size_t at = text_.find('\n'); at != text_.npos; at = text_.find('\n', at + 1))
      lines_.push_back(at + 1);
  }

  /// Returns the number that begins at a position, in whose column every letter of UTF-8 counts once.
  std::string number_at(const toml::source_position& position) const {
    if (position.line == 0 || position.line > lines_.size()) return "";
    const std::string_view line = text_.substr(lines_[position.line - 1]);
    std::size_t begin = 0;
    for (toml::source_index letters = 1; begin < line.size(); ++begin)
      if ((static_cast<unsigned char>(line[begin]) & 0xc0) != 0x80 && letters++ == position.column) break;
    std::size_t end = begin;
    while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 ||
                                 std::string_view("_+-.").find(line[end]) != std::string_view::npos))
      ++end;
    return std::string(line.substr(begin, end - begin));
  }

 private:
  std::string_view text_;
  std::vector<std::size_t> lines_ = {0};  // where they begin
};

TomlValue plain(const toml::node& node, TomlPlace place, const WrittenToml& text);

/// Returns where a node of a value at `place` is. A source without lines has none inside its values either.
TomlPlace place_inside(const TomlPlace& place, const toml::source_position& position) {
  return {place.source, place.line == 0 || position.line == 0 ? place.line : position.line};
}

TomlTable plain_table(const toml::table& table, const TomlPlace& place, const WrittenToml& text) {
  // The library sorts keys by name. Their positions in the text restore the user's order.
  std::vector<std::pair<toml::source_position, TomlEntry>> entries;
  for (const auto& [key, node] : table) {
    const toml::source_position position = key.source().begin;
    entries.push_back({position, {std::string(key.str()), plain(node, place_inside(place, position), text)}});
  }
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
  });
  TomlTable result;
  for (auto& entry : entries) result.push_back(std::move(entry.second));
  return result;
}

TomlArray plain_array(const toml::array& array, const TomlPlace& place, const WrittenToml& text) {
  TomlArray result;
  for (const toml::node& node : array)
    result.push_back(plain(node, place_inside(place, node.source().begin), text));
  return result;
}

TomlValue plain(const toml::node& node, TomlPlace place, const WrittenToml& text) {
  TomlValue value;
  if (const auto* table = node.as_table()) {
    value.data = plain_table(*table, place, text);
  } else if (const auto* array = node.as_array()) {
    value.data = plain_array(*array, place, text);
  } else if (const auto* flag = node.as_boolean()) {
    value.data = flag->get();
  } else if (const auto* integer = node.as_integer()) {
    value.data = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.data = number->get();
  } else if (const auto* string = node.as_string()) {
    value.data = string->get();
  } else {
    std::ostringstream text_of_date;
    node.visit([&](const auto& date_or_time) { text_of_date << date_or_time; });
    value.data = TomlValue::DateOrTime{text_of_date.str()};
  }
  if (node.is_number()) value.written = text.number_at(node.source().begin);
  value.place = std::move(place);
  return value;
}

struct Spell {
  std::string operator()(bool flag) const { return flag ? "true" : "false"; }
  std::string operator()(std::int64_t integer) const { return std::to_string(integer); }
  std::string operator()(double number) const { return toml_number(number); }
  std::string operator()(const std::string& text) const { return toml_text(text); }
  std::string operator()(const TomlValue::DateOrTime& date_or_time) const { return date_or_time.text; }
  std::string operator()(TomlValue::Unset) const { return "(unset)"; }
  std::string operator()(const TomlArray& array) const {
    std::string text;
    for (const TomlValue& value : array) text += (text.empty() ? "" : ", ") + toml_text(value);
    return "[" + text + "]";
  }
  std::string operator()(const TomlTable& table) const {
    std::string text;
    for (const auto& [key, value] : table)
      text += (text.empty() ? "" : ", ") + key + " = " + toml_text(value);
    return "{" + text + "}";
  }
};

}  // namespace

std::string TomlPlace::text() const {
  if (!source) return {};
  return line == 0 ? *source : *source + ":" + std::to_string(line);
}

TomlTable parse_toml(std::string_view text, const std::string& source) {
  if (const auto line = line_of_deep_nesting(text))
    throw Misuse(source + ":" + std::to_string(*line) +
                 ": nested too deep, expected keys of at most 16 parts and at most 32 open brackets");
  try {
    return plain_table(toml::parse(text), {std::make_shared<const std::string>(source), 1},
                       WrittenToml(text));
  } catch (const toml::parse_error& error) {
    const toml::source_position at = error.source().begin;
    const bool not_utf8 = error.description().find("utf-8") != std::string_view::npos;
    throw Misuse(source + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) + ": " +
                 (not_utf8 ? "not UTF-8; save the file as UTF-8" : std::string(error.description())));
  }
}

std::optional<TomlValue> parse_toml_value(std::string_view text, const std::string& source) {
  try {
    const std::string assignment = "value = " + std::string(text);
    if (line_of_deep_nesting(assignment)) return std::nullopt;
    const toml::table table = toml::parse(assignment);
    // A line break in `text` could have smuggled in more keys.
    if (table.size() != 1) return std::nullopt;
    return plain(table.begin()->second, {std::make_shared<const std::string>(source), 0},
                 WrittenToml(assignment));
  } catch (const toml::parse_error&) {
    return std::nullopt;
  }
}

std::string toml_text(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += "\\u00";
      quoted += hex[byte >> 4];
      quoted += hex[byte & 15];
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + toml_text(text);
  return "[" + list + "]";
}

std::string toml_list(const std::vector<PeerId>& ids) {
  std::string text;
  for (const PeerId id : ids) text += (text.empty() ? "[" : ", ") + std::to_string(id);
  return text + "]";
}

std::string toml_number(double number) {
  if (std::isnan(number)) return "nan";
  if (std::isinf(number)) return number < 0 ? "-inf" : "inf";
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return {buffer.data(), result.ptr};
}

std::string toml_text(const TomlValue& value) { return std::visit(Spell{}, value.data); }

std::string toml_as_written(const TomlValue& value) {
  if (!value.written.empty()) return value.written;
  const auto* const array = std::get_if<TomlArray>(&value.data);
  if (array == nullptr) return toml_text(value);
  std::string text;
  for (const TomlValue& element : *array) text += (text.empty() ? "" : ", ") + toml_as_written(element);
  return "[" + text + "]";
}

}  // namespace hearsay
