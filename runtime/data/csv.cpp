#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/data/data_file.hpp"
#include "runtime/data/formats.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// Returns the position of the comma that ends the first field, past a quoted part in which commas do not
/// count.
std::size_t end_of_field(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string_view::npos || line[begin] != '"') return line.find(',');
  const std::size_t quote = line.find('"', begin + 1);
  return line.find(',', quote == std::string_view::npos ? begin : quote);
}

/// Returns a field without the quotes around it.
std::string_view unquoted(std::string_view field) {
  if (field.size() < 2 || field.front() != '"' || field.back() != '"') return field;
  return trimmed(field.substr(1, field.size() - 2));
}

void split(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (;;) {
    const auto comma = end_of_field(line);
    fields.push_back(unquoted(trimmed(line.substr(0, comma))));
    if (comma == std::string_view::npos) return;
    line.remove_prefix(comma + 1);
  }
}

bool is_header(const std::vector<std::string_view>& fields) {
  return std::none_of(fields.begin(), fields.end(),
                      [](auto field) { return finite_number(field).has_value(); });
}

}  // namespace

template <class Scalar>
Samples<Scalar> read_csv(const std::filesystem::path& path, DataMemory& memory) {
  const std::string text = read_data_text(path, memory);
  std::vector<Scalar> numbers;
  std::vector<std::string_view> fields;
  std::size_t columns = 0;
  Samples<Scalar> samples;
  for_each_line(text, [&](std::string_view line, std::size_t number) {
    if (trimmed(line).empty()) return;
    split(line, fields);
    if (columns == 0) {
      columns = fields.size();
      if (columns < 2) throw bad_line(path, number, "expected features and a target, separated by commas");
      if (is_header(fields)) return;
    }
    if (fields.size() != columns)
      throw bad_line(
          path, number,
          std::to_string(fields.size()) + " columns; the first line has " + std::to_string(columns));
    for (std::size_t column = 0; column < columns; ++column) {
      const auto value = finite_number(fields[column]);
      if (!value || !std::isfinite(static_cast<Scalar>(*value)))
        throw bad_line(path, number,
                       "column " + std::to_string(column + 1) + ", \"" +
                           std::string(fields[column].substr(0, 40)) + "\", is not a finite number");
      (column + 1 < columns ? numbers : samples.targets).push_back(static_cast<Scalar>(*value));
    }
  });
  samples.features = DenseRows<Scalar>(Eigen::Map<const DenseRows<Scalar>>(
      numbers.data(), samples.count(), columns == 0 ? 0 : static_cast<Index>(columns - 1)));
  return samples;
}

template Samples<float> read_csv<float>(const std::filesystem::path&, DataMemory&);
template Samples<double> read_csv<double>(const std::filesystem::path&, DataMemory&);

}  // namespace hearsay
