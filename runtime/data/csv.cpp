#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/data/csv_fields.hpp"
#include "runtime/data/data_file.hpp"
#include "runtime/data/formats.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// A numbering of so many rows, in the first column, is taken for an index.
constexpr std::size_t rows_of_an_index = 5;

std::string in_quotes(std::string_view text) { return "\"" + std::string(text.substr(0, 40)) + "\""; }

bool names_a_label(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array names = {"label", "labels", "target", "class", "y"};
  return std::ranges::find(names, lower) != names.end();
}

bool is_whole(std::string_view field) {
  return finite_number(field) && field.find_first_of(".eE") == std::string_view::npos;
}

/// A file as it is read, line by line. What the file may mean in two ways is asked, by the key that decides
/// it.
template <class Scalar>
class CsvReader {
 public:
  CsvReader(const std::filesystem::path& path, const CsvLayout& layout) : path_(path), layout_(layout) {}

  void take(std::string_view line, std::size_t number) {
    if (trimmed(line).empty()) return;
    if (columns_ == 0) require_commas(path_, number, line);
    split_csv_line(path_, number, line, fields_);
    if (columns_ == 0) return take_first(number);
    if (names_ && rows_ == 0) find_row_names();
    if (rows_ == 0) lay_out();
    if (fields_.size() != columns_)
      throw bad_line(
          path_, number,
          std::to_string(fields_.size()) + " columns; the first line has " + std::to_string(columns_));
    take_row(number);
  }

  Samples<Scalar> samples() {
    if (rows_ > 0) {
      ask_about_index();
      ask_about_header();
    }
    const auto features = static_cast<Index>(rows_ == 0 ? 0 : columns_ - skip() - 1);
    samples_.features =
        DenseRows<Scalar>(Eigen::Map<const DenseRows<Scalar>>(numbers_.data(), samples_.count(), features));
    return std::move(samples_);
  }

 private:
  std::size_t skip() const { return static_cast<std::size_t>(layout_.skip.value_or(0)); }

  [[noreturn]] void ask(const std::string& what) const { throw Misuse(path_.string() + ": " + what); }

  void take_first(std::size_t number) {
    columns_ = fields_.size();
    if (columns_ < 2) throw bad_line(path_, number, "expected features and a target, separated by commas");
    const bool any_number =
        std::ranges::any_of(fields_, [](auto field) { return finite_number(field).has_value(); });
    if (layout_.header.value_or(!any_number)) {
      names_.emplace(fields_.begin(), fields_.end());
      return;
    }
    first_.assign(fields_.begin(), fields_.end());
    lay_out();
    take_row(number);
  }

  /// R writes no name above the names of rows.
  void find_row_names() {
    if (fields_.size() != columns_ + 1) return;
    if (!layout_.skip)
      ask("the rows have a column more than the header, as with names of rows; expected data.skip = 1, which "
          "leaves them out");
    if (*layout_.skip == 0) return;
    names_->insert(names_->begin(), "");
    ++columns_;
  }

  /// Finds the column of the target.
  void lay_out() {
    if (skip() + 2 > columns_)
      throw Misuse("data.skip", std::to_string(skip()),
                   path_.string() + " has " + std::to_string(columns_) +
                       " columns; expected a feature and a target to be left");
    if (names_ && !layout_.skip && (names_->front().empty() || names_->front().starts_with("Unnamed:")))
      ask("the first column has no name, as that of an index; expected data.skip = 1, which leaves it out, "
          "or "
          "data.skip = 0");
    target_ = columns_ - 1;
    if (!layout_.target) return ask_about_target();
    if (*layout_.target == "last") return;
    if (*layout_.target == "first") {
      target_ = skip();
      return;
    }
    const auto refuse = [&](const std::string& expectation) {
      throw Misuse("data.target", *layout_.target, path_.string() + " has no " + expectation);
    };
    if (!names_) refuse("header; expected first or last");
    const auto found = std::ranges::find(*names_, *layout_.target);
    if (found == names_->end()) refuse("such column in its header; expected a name of it, first or last");
    target_ = static_cast<std::size_t>(found - names_->begin());
    if (target_ < skip()) refuse("such column among those that data.skip leaves");
  }

  void ask_about_target() const {
    if (!names_ || names_a_label(names_->back())) return;
    const auto label = std::ranges::find_if(*names_, names_a_label);
    if (label != names_->end())
      ask("the last column is " + in_quotes(names_->back()) + ", and another one " + in_quotes(*label) +
          "; expected data.target = " + in_quotes(*label) + ", or data.target = \"last\"");
  }

  void take_row(std::size_t number) {
    for (std::size_t column = skip(); column < columns_; ++column) {
      const std::string_view field = fields_[column];
      const auto value = finite_number(field);
      if (!value || !std::isfinite(static_cast<Scalar>(*value)))
        throw bad_line(path_, number,
                       "column " + std::to_string(column + 1) + ", " + in_quotes(field) +
                           ", is not a finite number" + advice(column, field));
      (column == target_ ? samples_.targets : numbers_).push_back(static_cast<Scalar>(*value));
    }
    note_writing();
    ++rows_;
  }

  std::string advice(std::size_t column, std::string_view field) const {
    if (rows_ == 0 && !names_ && !layout_.header)
      return "; if the line is a header, expected data.header = true";
    if (column == 0 && !layout_.skip) return "; data.skip = 1 leaves the first column out";
    return std::string(advice_on(field));
  }

  /// Notes what says that the first line, or the first column, holds no data.
  void note_writing() {
    if (rows_ == 0) {
      fractional_.assign(columns_, true);
    } else {
      for (std::size_t column = 0; column < columns_; ++column)
        fractional_[column] = fractional_[column] && !is_whole(fields_[column]);
    }
    if (!numbered_) return;
    const auto now = finite_number(fields_.front());
    numbered_ = now && is_whole(fields_.front()) && (rows_ == 0 || *now == number_of_row_ + 1.0);
    if (now) number_of_row_ = *now;
  }

  void ask_about_index() const {
    if (layout_.skip || !numbered_ || rows_ < rows_of_an_index || target_ == 0) return;
    ask("the first column counts the rows, as an index does; expected data.skip = 1, which leaves it out, or "
        "data.skip = 0");
  }

  /// A header may consist of numbers: counted ones, or whole ones above columns without any.
  void ask_about_header() const {
    if (names_ || layout_.header || !std::ranges::all_of(first_, is_whole)) return;
    const auto number = [&](std::size_t column) { return *finite_number(first_[column]); };
    bool counted = true;
    for (std::size_t column = 1; column < columns_; ++column)
      counted = counted && number(column) == number(column - 1) + 1.0;
    std::vector<std::string> ascending = first_;
    std::ranges::sort(ascending);
    const bool distinct = std::ranges::adjacent_find(ascending) == ascending.end();
    const bool unlike_others =
        rows_ > 1 && distinct && std::ranges::find(fractional_, true) != fractional_.end();
    if (counted || unlike_others)
      ask("its first line may be a header of numbers; expected data.header = true, or data.header = false if "
          "it is a sample");
  }

  const std::filesystem::path& path_;
  const CsvLayout& layout_;
  std::size_t columns_ = 0;
  std::size_t target_ = 0;
  std::optional<std::vector<std::string>> names_;  // of the header
  std::vector<std::string> first_;                 // the first line, if it is no header
  std::vector<std::string_view> fields_;
  std::size_t rows_ = 0;
  std::vector<bool> fractional_;  // by column: no whole number was in it, from the second row on
  bool numbered_ = true;          // the first column counts the rows so far
  double number_of_row_ = 0.0;
  std::vector<Scalar> numbers_;
  Samples<Scalar> samples_;
};

}  // namespace

template <class Scalar>
Samples<Scalar> read_csv(const std::filesystem::path& path, const CsvLayout& layout, DataMemory& memory) {
  const std::string text = read_data_text(path, memory);
  CsvReader<Scalar> reader(path, layout);
  for_each_line(text, [&](std::string_view line, std::size_t number) { reader.take(line, number); });
  return reader.samples();
}

template Samples<float> read_csv<float>(const std::filesystem::path&, const CsvLayout&, DataMemory&);
template Samples<double> read_csv<double>(const std::filesystem::path&, const CsvLayout&, DataMemory&);

}  // namespace hearsay
