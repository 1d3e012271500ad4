#include "runtime/data/csv_fields.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "runtime/data/data_file.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// Returns the place behind the quote that closes the one at `open`; npos if none does.
std::size_t behind_quotes(std::string_view line, std::size_t open) {
  for (std::size_t at = line.find('"', open + 1); at != std::string_view::npos; at = line.find('"', at + 2))
    if (!line.substr(at + 1).starts_with('"')) return at + 1;
  return std::string_view::npos;
}

/// "1,234" may be 1.234 or 1234.
constexpr std::size_t digits_of_thousands = 3;

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Returns a field without the quotes around it.
std::string_view unquoted(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return field;
  return trimmed(field.substr(1, field.size() - 2));
}

}  // namespace

void split_csv_line(const std::filesystem::path& path, std::size_t number, std::string_view line,
                    std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    const std::size_t begin = line.find_first_not_of(" \t");
    std::size_t from = 0;
    if (begin != std::string_view::npos && line[begin] == '"') {
      from = behind_quotes(line, begin);
      if (from == std::string_view::npos)
        throw bad_line(path, number, "a quote is not closed; expected every field on one line");
    }
    const std::size_t comma = line.find(',', from);
    fields.push_back(unquoted(trimmed(line.substr(0, comma))));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

bool names_separator(const std::filesystem::path& path, std::size_t number, std::string_view line) {
  std::string text(trimmed(line));
  std::erase(text, '"');
  constexpr std::string_view opening = "sep=";
  for (std::size_t k = 0; k < opening.size(); ++k)
    if (k >= text.size() || std::tolower(static_cast<unsigned char>(text[k])) != opening[k]) return false;
  // Excel fills the line up with separators; a tab at its end was trimmed.
  std::string_view separator = std::string_view(text).substr(opening.size());
  if (separator.empty() || separator == "\\t") separator = "\t";
  if (separator.find_first_not_of(separator.front()) != std::string_view::npos) return false;
  const char named = separator.front();
  if (named == ',') return true;
  const std::string name = named == ';'    ? "semicolons"
                           : named == '\t' ? "tabs"
                                           : "\"" + std::string(1, named) + "\"";
  throw bad_line(path, number,
                 "sep= says that the columns are separated by " + name +
                     "; expected commas, and numbers with a decimal point");
}

bool is_marked_as_comment(std::string_view line) {
  const std::string_view text = trimmed(line);
  return text.starts_with('#') || text.starts_with('%');
}

void refuse_other_openings(const std::filesystem::path& path, std::size_t number, std::string_view line) {
  std::string lower(trimmed(line).substr(0, 10));
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view opening : {"@relation", "@attribute", "@data"})
    if (lower.starts_with(opening))
      throw bad_line(
          path, number,
          "the file is ARFF; expected CSV, which is what follows @data, with whole numbers as labels");
  if (is_marked_as_comment(line) && line.find(',') == std::string_view::npos)
    throw bad_line(path, number, "a comment; expected the header, or the first sample");
}

void require_commas(const std::filesystem::path& path, std::size_t number, std::string_view line) {
  std::string outside;  // of quotes
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') {
      const std::size_t behind = behind_quotes(line, at);
      if (behind == std::string_view::npos) break;
      at = behind - 1;
    } else {
      outside.push_back(line[at]);
    }
  }
  const auto refuse = [&](const std::string& separator) {
    throw bad_line(
        path, number,
        "the columns are separated by " + separator + "; expected commas, and numbers with a decimal point");
  };
  // With semicolons, commas are those of decimal numbers.
  if (outside.find(';') != std::string::npos) refuse("semicolons");
  if (outside.find(',') != std::string::npos) return;
  if (outside.find('\t') != std::string::npos) refuse("tabs");
  if (trimmed(outside).find(' ') != std::string_view::npos) refuse("spaces");
}

std::string_view advice_on(std::string_view field) {
  if (std::ranges::none_of(field, is_digit)) return "";
  const std::size_t comma = field.find(',');
  if (comma != std::string_view::npos && field.size() - comma - 1 != digits_of_thousands) {
    std::string with_point(field);
    with_point[comma] = '.';
    if (finite_number(with_point)) return "; expected a decimal point, not a comma";
  }
  // Typesetters have signs of their own: a minus and a dash.
  for (const std::string_view minus : {"\xe2\x88\x92", "\xe2\x80\x93"})
    if (field.starts_with(minus) && finite_number("-" + std::string(field.substr(minus.size()))))
      return "; expected a hyphen, -, for the minus sign";
  // Accountants put a loss into brackets; the letters of UTF-8 here are those of currencies and wide spaces.
  std::string bare;
  for (const char letter : field)
    if (std::string_view(",'_ \t%$()\xc2\xa3\xa4\xa5\xa0\xa2\xe2\x82\xac\x80\x89\xaf\x99").find(letter) ==
        std::string_view::npos)
      bare.push_back(letter);
  if (bare.size() < field.size() && finite_number(bare))
    return "; expected the number alone, such as 1234.5: no percent sign, no currency, and nothing between "
           "its digits";
  return "";
}

bool looks_like_name(std::string_view field) {
  std::string lower(field);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array no_names = {"na",  "nan",  "n/a",      "null",      "none",
                                   "inf", "-inf", "infinity", "-infinity", "missing"};
  if (std::ranges::find(no_names, lower) != no_names.end() || lower.empty()) return false;
  const auto first = static_cast<unsigned char>(lower.front());
  if (std::isalpha(first) != 0 || first >= 0xc3) return true;
  const auto marks = std::ranges::count_if(
      field, [](char letter) { return letter == '-' || letter == '/' || letter == ':' || letter == '.'; });
  return is_digit(lower.front()) && is_digit(lower.back()) && marks >= 2;
}

}  // namespace hearsay
