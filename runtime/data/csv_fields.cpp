#include "runtime/data/csv_fields.hpp"

#include <algorithm>
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
  const std::size_t comma = field.find(',');
  if (comma == std::string_view::npos) return "";
  std::string with_point(field);
  with_point[comma] = '.';
  return finite_number(with_point) ? "; expected a decimal point, not a comma" : "";
}

}  // namespace hearsay
