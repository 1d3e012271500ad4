#include "runtime/data/csv_identifiers.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>

#include "runtime/data/data_file.hpp"
#include "runtime/data/name_words.hpp"

namespace hearsay {

namespace {

template <std::size_t count>
bool is_one_of(std::string_view word, const std::array<std::string_view, count>& words) {
  return std::ranges::find(words, word) != words.end();
}

/// Words that are an identifier wherever they stand in a name.
constexpr std::array<std::string_view, 17> anywhere = {
    "id",  "ids", "uuid",  "uuids", "guid",      "guids",  "key",      "keys",   "index",
    "idx", "pk",  "rowid", "rowno", "rownumber", "rownum", "rownames", "rowname"};

/// Words that are one at the end of a name: a "room number", but not a "number of rooms".
constexpr std::array<std::string_view, 9> at_the_end = {"no",   "nr",     "num", "number", "row",
                                                        "code", "serial", "#",   "names"};

/// Words that end with "id" by themselves.
constexpr std::array<std::string_view, 37> other_words = {
    "acid",   "aid",     "amid",   "arid",  "avid",   "bid",    "braid",   "centroid", "covid",  "fluid",
    "grid",   "humid",   "hybrid", "kid",   "laid",   "lid",    "lipid",   "liquid",   "mid",    "paid",
    "placid", "prepaid", "raid",   "rapid", "said",   "solid",  "steroid", "thyroid",  "unpaid", "valid",
    "void",   "android", "bids",   "acids", "fluids", "solids", "invalid"};

/// "customerid", "objid": an identifier whose words are written together.
bool ends_with_id(std::string_view word) {
  return (word.ends_with("id") || word.ends_with("ids")) && !is_one_of(word, other_words);
}

}  // namespace

bool has_no_name(std::string_view name) { return name.empty() || name.starts_with("Unnamed:"); }

bool names_an_identifier(std::string_view name) {
  if (has_no_name(name)) return true;
  std::vector<std::string> words = words_of_name(name);
  for (std::string& word : words) word.erase(std::min(word.find_last_not_of("0123456789") + 1, word.size()));
  std::erase(words, "");
  if (words.empty()) return false;
  const auto is_identifier = [](const std::string& word) {
    return is_one_of(word, anywhere) || ends_with_id(word);
  };
  return is_one_of(words.back(), at_the_end) || std::ranges::any_of(words, is_identifier);
}

void CsvIdentifiers::watch(const std::vector<std::string>& names) {
  for (std::size_t column = 0; column < names.size(); ++column)
    if (names_an_identifier(names[column])) columns_.push_back({column});
}

void CsvIdentifiers::take(const std::vector<std::string_view>& fields) {
  constexpr double exact = 9007199254740992.0;  // 2^53: from there on, two whole numbers may be one double
  for (Column& column : columns_) {
    if (!column.whole) continue;
    const std::string_view field = fields[column.number];
    const double number = finite_number(field).value_or(0.5);
    column.whole = number == std::floor(number);
    if (!column.whole)
      column.values = {};
    else
      column.values.push_back(std::abs(number) < exact ? std::bit_cast<std::uint64_t>(number)
                                                       : std::hash<std::string_view>()(field));
  }
}

bool CsvIdentifiers::tells_rows_apart(std::size_t column) const {
  const auto found = std::ranges::find(columns_, column, &Column::number);
  if (found == columns_.end() || !found->whole || found->values.size() < 2) return false;
  std::vector<std::uint64_t> values = found->values;
  std::ranges::sort(values);
  return std::ranges::adjacent_find(values) == values.end();
}

}  // namespace hearsay
