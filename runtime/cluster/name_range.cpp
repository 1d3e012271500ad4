#include "runtime/cluster/name_range.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// A part of a spelling: one plain text, or the texts that a range steps through.
struct Piece {
  std::vector<std::string> texts;
  bool is_range = false;
};

bool may_stand_in_a_range(char c) { return (c >= '0' && c <= '9') || c == '-' || c == ','; }

struct Brackets {
  std::size_t begin = 0;  ///< position of '['
  std::size_t end = 0;    ///< position of ']'
};

/// Returns the first brackets from `start` on that are a range; empty if there are none.
std::optional<Brackets> find_range(std::string_view text, std::size_t start) {
  for (std::size_t begin = text.find('[', start); begin != text.npos; begin = text.find('[', begin + 1)) {
    std::size_t end = begin + 1;
    while (end < text.size() && may_stand_in_a_range(text[end])) ++end;
    if (end > begin + 1 && end < text.size() && text[end] == ']') return Brackets{begin, end};
  }
  return std::nullopt;
}

constexpr std::size_t most_digits = 9;  // of a number in brackets

/// Returns the number with leading zeros, if it has fewer digits than `width`.
std::string padded(std::uint64_t number, std::size_t width) {
  const std::string digits = std::to_string(number);
  return std::string(width - std::min(width, digits.size()), '0') + digits;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Returns the digits that begin at `begin`.
std::string_view digits_at(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  while (end < text.size() && is_digit(text[end])) ++end;
  return text.substr(begin, end - begin);
}

/// Returns `number`, spelled with leading zeros or without, increased by `steps` in the same spelling.
std::string increased(std::string_view number, std::size_t steps) {
  std::uint64_t value = 0;
  ensure(parse_whole(number, value), "digits are a number");
  return padded(value + steps, number.size());
}

class RangeReader {
 public:
  RangeReader(const std::string& key, std::string_view whole) : key_(key), whole_(whole) {}

  /// Returns the numbers of a list such as "1-3,7".
  std::vector<std::string> read(std::string_view list) const {
    std::vector<std::string> numbers;
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t comma = std::min(list.find(',', begin), list.size());
      add_span(list.substr(begin, comma - begin), numbers);
      begin = comma + 1;
    }
    return numbers;
  }

  [[noreturn]] void refuse(const std::string& expectation) const {
    throw Misuse(key_, "\"" + std::string(whole_) + "\"", "expected " + expectation);
  }

 private:
  /// Appends the numbers of "1-3" or "7".
  void add_span(std::string_view span, std::vector<std::string>& numbers) const {
    const std::size_t dash = std::min(span.find('-'), span.size());
    const std::string_view first = span.substr(0, dash);
    const std::string_view last = dash == span.size() ? first : span.substr(dash + 1);
    std::uint64_t from = 0;
    std::uint64_t to = 0;
    if (first.size() > most_digits || last.size() > most_digits || !parse_whole(first, from) ||
        !parse_whole(last, to))
      refuse("numbers in the brackets, such as [1-3,7] or [01-16]");
    if (from > to)
      refuse("a range that runs upwards, [" + std::string(last) + "-" + std::string(first) + "]");
    if (to - from >= most_names_of_a_range - numbers.size())
      refuse("at most " + std::to_string(most_names_of_a_range) + " names");
    for (std::uint64_t number = from; number <= to; ++number) numbers.push_back(padded(number, first.size()));
  }

  const std::string& key_;
  std::string_view whole_;
};

}  // namespace

bool has_range(std::string_view text) { return find_range(text, 0).has_value(); }

std::vector<std::string> expand_ranges(const std::string& key, std::string_view text) {
  const RangeReader reader(key, text);
  std::vector<Piece> pieces;
  std::size_t length = 1;
  std::string first_range;
  std::size_t done = 0;
  while (const auto brackets = find_range(text, done)) {
    pieces.push_back({{std::string(text.substr(done, brackets->begin - done))}});
    const std::string spelled(text.substr(brackets->begin, brackets->end + 1 - brackets->begin));
    pieces.push_back(
        {reader.read(text.substr(brackets->begin + 1, brackets->end - brackets->begin - 1)), true});
    const std::size_t here = pieces.back().texts.size();
    if (!first_range.empty() && here != length)
      reader.refuse("ranges of the same length, for they step together: " + first_range + " has " +
                    std::to_string(length) + ", " + spelled + " has " + std::to_string(here));
    length = here;
    first_range = first_range.empty() ? spelled : first_range;
    done = brackets->end + 1;
  }
  pieces.push_back({{std::string(text.substr(done))}});

  std::vector<std::string> names(length);
  for (std::size_t k = 0; k < length; ++k)
    for (const Piece& piece : pieces) names[k] += piece.texts[piece.is_range ? k : 0];
  return names;
}

std::vector<std::string> expand_list(const std::string& key, std::string_view text) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  bool inside = false;
  for (std::size_t k = 0; k <= text.size(); ++k) {
    const char c = k < text.size() ? text[k] : ',';
    if (c == '[') inside = true;
    if (c == ']') inside = false;
    if (c != ',' || (inside && k < text.size())) continue;
    for (std::string& name : expand_ranges(key, text.substr(begin, k - begin)))
      names.push_back(std::move(name));
    if (names.size() > most_names_of_a_range)
      throw Misuse(key, "\"" + std::string(text) + "\"",
                   "at most " + std::to_string(most_names_of_a_range) + " names");
    begin = k + 1;
  }
  return names;
}

std::vector<NameRow::Number> NameRow::growing_towards(std::string_view second) const {
  std::vector<Number> growing;
  std::size_t here = 0;
  std::size_t there = 0;
  while (here < first_.size() && there < second.size()) {
    const std::string_view digits = digits_at(first_, here);
    const std::string_view others = digits_at(second, there);
    if (digits.empty() || others.empty()) {
      if (first_[here++] != second[there++]) return {};
      continue;
    }
    // With a digit to spare, the last number of the row has not too many either.
    if (digits != others && digits.size() >= most_digits) return {};
    if (digits != others) growing.push_back({here, digits.size()});
    here += digits.size();
    there += others.size();
  }
  return growing;
}

template <class Spell>
std::string NameRow::respelled(const std::vector<Number>& numbers, const Spell& spelled) const {
  std::string text;
  std::size_t done = 0;
  for (const Number& number : numbers) {
    text += first_.substr(done, number.begin - done) + spelled(first_.substr(number.begin, number.length));
    done = number.begin + number.length;
  }
  return text + first_.substr(done);
}

bool NameRow::continues_with(std::string_view text) const {
  if (count_ == most_names_of_a_range) return false;
  return text == respelled(count_ == 1 ? growing_towards(text) : growing_,
                           [this](const std::string& number) { return increased(number, count_); });
}

void NameRow::add(std::string_view text) {
  ensure(continues_with(text), "a row of names takes what continues it");
  if (count_ == 1) growing_ = growing_towards(text);
  ++count_;
}

std::string NameRow::spelling() const {
  return respelled(growing_, [this](const std::string& number) {
    return "[" + number + "-" + increased(number, count_ - 1) + "]";
  });
}

}  // namespace hearsay
