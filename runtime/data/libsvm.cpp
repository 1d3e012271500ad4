#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "runtime/data/data_file.hpp"
#include "runtime/data/formats.hpp"

namespace hearsay {

namespace {

/// A dense model has at least one parameter per feature; an index beyond this is a damaged file.
constexpr std::int64_t largest_index = 100'000'000;

/// Removes the next word from the line and returns it; empty at the line's end.
std::string_view next_word(std::string_view& line) {
  const auto first = std::min(line.find_first_not_of(" \t"), line.size());
  const auto last = std::min(line.find_first_of(" \t", first), line.size());
  const std::string_view word = line.substr(first, last - first);
  line.remove_prefix(last);
  return word;
}

/// Returns the text in quotes, safe to print even if the file is not text.
std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, 40));
  for (char& letter : shown)
    if (letter < 0x20 || letter == 0x7f) letter = '?';
  return "\"" + shown + "\"";
}

}  // namespace

template <class Scalar>
Samples<Scalar> read_libsvm(const std::filesystem::path& path, std::uint64_t first_index,
                            DataMemory& memory) {
  const auto first = static_cast<std::int64_t>(first_index);
  const std::string text = read_data_text(path, memory);
  SparseRows<Scalar> rows;
  Samples<Scalar> samples;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    line = line.substr(0, line.find('#'));
    const std::string_view label = next_word(line);
    if (label.empty()) return;
    const auto target = finite_number(label);
    if (!target || !std::isfinite(static_cast<Scalar>(*target)))
      throw bad_line(path, number,
                     "the label " + quoted(label) +
                         " is not a finite number; labels are whole numbers, such as 0 to classes - 1");
    samples.targets.push_back(static_cast<Scalar>(*target));
    std::int64_t previous = first - 1;
    for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
      if (word.starts_with("qid:")) {
        const auto query = finite_number(word.substr(4));
        if (previous >= first || !query || *query != std::floor(*query))
          throw bad_line(path, number, quoted(word) + " is not qid:NUMBER right behind the label");
        continue;  // the query of a ranked sample is no feature
      }
      std::int64_t index = 0;
      const char* const end = word.data() + word.size();
      const auto [colon, error] = std::from_chars(word.data(), end, index);
      if (error != std::errc{} || colon == end || *colon != ':')
        throw bad_line(path, number, quoted(word) + " is not INDEX:VALUE");
      if (index < first || index > largest_index)
        throw bad_line(path, number,
                       "index " + std::to_string(index) + " is not from " + std::to_string(first) + " to " +
                           std::to_string(largest_index) +
                           (index == 0 ? "; if indices count from 0, expected data.index_base = 0" : ""));
      if (index <= previous)
        throw bad_line(path, number,
                       "index " + std::to_string(index) + " does not come after " + std::to_string(previous));
      previous = index;
      const auto value = finite_number(word.substr(static_cast<std::size_t>(colon + 1 - word.data())));
      if (!value || !std::isfinite(static_cast<Scalar>(*value)))
        throw bad_line(path, number, "the value in " + quoted(word) + " is not a finite number");
      rows.column.push_back(static_cast<std::int32_t>(index - first));
      rows.value.push_back(static_cast<Scalar>(*value));
    }
    rows.columns = std::max<Index>(rows.columns, previous - first + 1);
    rows.row_begin.push_back(static_cast<Index>(rows.column.size()));
  });
  samples.features = std::move(rows);
  return samples;
}

template Samples<float> read_libsvm<float>(const std::filesystem::path&, std::uint64_t, DataMemory&);
template Samples<double> read_libsvm<double>(const std::filesystem::path&, std::uint64_t, DataMemory&);

}  // namespace hearsay
