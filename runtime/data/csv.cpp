#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/data/csv_doubts.hpp"
#include "runtime/data/csv_fields.hpp"
#include "runtime/data/csv_identifiers.hpp"
#include "runtime/data/data_file.hpp"
#include "runtime/data/formats.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/enumeration.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

std::string in_quotes(std::string_view text) { return "\"" + std::string(text.substr(0, 40)) + "\""; }

bool names_a_label(std::string_view name) {
  std::string lower(name);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::array names = {"label", "labels", "target", "class", "y"};
  return std::ranges::find(names, lower) != names.end();
}

/// A file as it is read, line by line. What the file may mean in two ways is asked, by the key that decides
/// it.
template <class Scalar>
class CsvReader {
 public:
  CsvReader(const std::filesystem::path& path, const CsvLayout& layout, CsvColumns& columns)
      : path_(path), layout_(layout), shared_(columns) {}

  void take(std::string_view line, std::size_t number) {
    if (trimmed(line).empty()) return;
    if (columns_ == 0) {
      if (names_separator(path_, number, line)) return;
      refuse_other_openings(path_, number, line);
      require_commas(path_, number, line);
      if (is_marked_as_comment(line)) comment_ = number;
    }
    split_csv_line(path_, number, line, fields_);
    if (columns_ == 0) return take_first(number);
    if (comment_ != 0 && fields_.size() != columns_)
      throw bad_line(path_, comment_, "a comment; expected the header, or the first sample");
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
      ask_about_identifiers();
      ask_about_header();
    }
    const auto features = static_cast<Index>(features_.size());
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

  /// Finds the columns of the target and of the features.
  void lay_out() {
    find_columns();
    find_target();
    for (const std::size_t column : read_)
      if (column != target_) features_.push_back(column);
    if (!names_) return;
    if (shared_.file.empty()) {
      shared_ = {path_, {}, (*names_)[target_]};
      for (const std::size_t column : features_) shared_.features.push_back((*names_)[column]);
      identifiers_.watch(*names_);
    } else {
      find_shared_columns();
    }
  }

  /// Finds the columns by the names that another file has for them.
  void find_shared_columns() {
    const auto name = [&](std::size_t column) { return (*names_)[column]; };
    const auto same = [&](std::size_t column, const std::string& of) { return name(column) == of; };
    if (std::ranges::equal(features_, shared_.features, same) && name(target_) == shared_.target) return;
    std::vector<std::string> wanted = shared_.features;
    wanted.push_back(shared_.target);
    std::vector<std::string> own;
    for (const std::size_t column : read_) own.push_back((*names_)[column]);
    const std::string expectation = "; expected the same names, in any order";
    for (std::size_t k = 0; k < own.size(); ++k) {
      const std::string number = std::to_string(read_[k] + 1);
      if (const auto again = std::find(own.begin() + static_cast<std::ptrdiff_t>(k) + 1, own.end(), own[k]);
          again != own.end())
        ask("its columns " + number + " and " +
            std::to_string(read_[static_cast<std::size_t>(again - own.begin())] + 1) + " are both " +
            in_quotes(own[k]) + ", and its names differ from those of " + shared_.file.string() +
            "; expected a name of its own for each column, or the columns in the same order");
      const auto there = std::ranges::count(wanted, own[k]);
      if (there != 1)
        ask("its column " + number + " is " + in_quotes(own[k]) +
            (there == 0 ? ", which is not a column of " : ", which several columns are called in ") +
            shared_.file.string() + expectation);
    }
    for (const std::string& of : wanted)
      if (std::ranges::find(own, of) == own.end())
        ask("it has no column " + in_quotes(of) + ", as " + shared_.file.string() + " has" + expectation);
    const auto column_of = [&](const std::string& of) {
      return read_[static_cast<std::size_t>(std::ranges::find(own, of) - own.begin())];
    };
    features_.clear();
    for (const std::string& of : shared_.features) features_.push_back(column_of(of));
    target_ = column_of(shared_.target);
  }

  /// Finds the columns that are read: those that data.skip and data.ignore leave.
  void find_columns() {
    const auto require_two = [&](std::size_t left, const std::string& key, const std::string& value) {
      if (left < 2)
        throw Misuse(key, value,
                     path_.string() + " has " + std::to_string(columns_) +
                         " columns; expected a feature and a target to be left");
    };
    require_two(columns_ - std::min(columns_, skip()), "data.skip", std::to_string(skip()));
    for (const std::string& name : layout_.ignore) require_column(name);
    for (std::size_t column = skip(); column < columns_; ++column)
      if (!is_ignored(column)) read_.push_back(column);
    if (!layout_.ignore.empty()) require_two(read_.size(), "data.ignore", layout_.ignore.back());
  }

  bool is_ignored(std::size_t column) const {
    return names_ && std::ranges::find(layout_.ignore, (*names_)[column]) != layout_.ignore.end();
  }

  /// A file of test samples need not have the columns that are ignored.
  void require_column(const std::string& ignored) const {
    if (!names_)
      throw Misuse("data.ignore", ignored,
                   path_.string() + " has no header; data.skip = N leaves its first N columns out");
    const bool is_there = std::ranges::find(*names_, ignored) != names_->end();
    if (!is_there && shared_.file.empty())
      throw Misuse("data.ignore", ignored,
                   path_.string() + " has no such column in its header; expected names of it");
  }

  void find_target() {
    target_ = read_.back();
    if (names_ && !layout_.skip && has_no_name(names_->front()) && !is_ignored(0)) ask_about_nameless();
    if (names_ && !shared_.file.empty()) return;  // the shared names say where it is
    if (!layout_.target) return ask_about_target();
    if (*layout_.target == "last") return;
    if (*layout_.target == "first") {
      target_ = read_.front();
      return;
    }
    const auto refuse = [&](const std::string& expectation) {
      throw Misuse("data.target", *layout_.target, path_.string() + " has no " + expectation);
    };
    if (!names_) refuse("header; expected first or last");
    const auto found = std::ranges::find(*names_, *layout_.target);
    if (found == names_->end()) refuse("such column in its header; expected a name of it, first or last");
    if (const auto second = std::find(found + 1, names_->end(), *layout_.target); second != names_->end())
      throw Misuse("data.target", *layout_.target,
                   path_.string() + " has that name above the columns " +
                       std::to_string(found - names_->begin() + 1) + " and " +
                       std::to_string(second - names_->begin() + 1) + "; expected a name of one column");
    target_ = static_cast<std::size_t>(found - names_->begin());
    if (std::ranges::find(read_, target_) == read_.end())
      refuse("such column among those that data.skip and data.ignore leave");
  }

  /// Returns how many columns at the left have such a name, a feature and a target beside them.
  std::size_t at_the_left(bool (*has_such_a_name)(std::string_view)) const {
    std::size_t count = 0;
    while (names_ && count + 2 < columns_ && count != target_ && has_such_a_name((*names_)[count])) ++count;
    return count;
  }

  /// "the first column" or "the first 2 columns".
  static std::string first_columns(std::size_t count) {
    return count == 1 ? "the first column" : "the first " + std::to_string(count) + " columns";
  }

  /// "data.skip = 1, which leaves it out, or data.skip = 0".
  static std::string skip_or_not(std::size_t count) {
    return "data.skip = " + std::to_string(count) + ", which leaves " + (count == 1 ? "it" : "them") +
           " out, or data.skip = 0";
  }

  [[noreturn]] void ask_about_nameless() const {
    const std::size_t count = std::max<std::size_t>(1, at_the_left(has_no_name));
    const std::size_t named = at_the_left(names_an_identifier);
    ask(first_columns(count) + (count == 1 ? " has no name, as that" : " have no name, as those") +
        " of an index; expected " + skip_or_not(count) +
        (named > count ? "; data.skip = " + std::to_string(named) + " leaves " +
                             in_quotes((*names_)[named - 1]) + " out, too"
                       : ""));
  }

  void ask_about_target() const {
    if (!names_ || names_a_label((*names_)[target_])) return;
    const auto is_label = [&](std::size_t column) { return names_a_label((*names_)[column]); };
    const auto label = std::ranges::find_if(read_, is_label);
    if (label != read_.end())
      ask("the last column is " + in_quotes((*names_)[target_]) + ", and another one " +
          in_quotes((*names_)[*label]) + "; expected data.target = " + in_quotes((*names_)[*label]) +
          ", or data.target = \"last\"");
  }

  void take_row(std::size_t number) {
    values_.assign(columns_, Scalar{0});
    for (const std::size_t column : read_) {
      const std::string_view field = fields_[column];
      const auto value = finite_number(field);
      if (!value || !std::isfinite(static_cast<Scalar>(*value)))
        throw bad_line(path_, number,
                       "column " + std::to_string(column + 1) + ", " + in_quotes(field) +
                           ", is not a finite number" + advice(column, field));
      values_[column] = static_cast<Scalar>(*value);
    }
    samples_.targets.push_back(values_[target_]);
    for (const std::size_t column : features_) numbers_.push_back(values_[column]);
    doubts_.take(fields_, target_);
    identifiers_.take(fields_);
    ++rows_;
  }

  std::string advice(std::size_t column, std::string_view field) const {
    if (const std::string_view number_advice = advice_on(field); !number_advice.empty())
      return std::string(number_advice);
    const std::string label = column == target_ && looks_like_name(field)
                                  ? "; labels are whole numbers, such as 0 to classes - 1"
                                  : "";
    if (rows_ == 0 && !names_ && !layout_.header)
      return "; if the line is a header, expected data.header = true" + label;
    if (!label.empty()) return label;
    const bool called_identifier = column < at_the_left(names_an_identifier);
    // A word further down is no name of a row: the rows above have none.
    if (called_identifier || (column == 0 && !layout_.skip && rows_ == 0 && looks_like_name(field)))
      return "; data.skip = " + std::to_string(column + 1) + " leaves " + first_columns(column + 1) + " out";
    if (names_ && column != target_) return "; " + ignoring(column) + " leaves its column out";
    return "";
  }

  void ask_about_identifiers() const {
    if (!layout_.target && identifiers_.tells_rows_apart(target_))
      ask("the last column is called " + in_quotes((*names_)[target_]) +
          ", and has another value in every row, as an identifier does; expected data.target = \"last\", or "
          "a name of the header");
    if (layout_.skip) return;
    const bool is_read = std::ranges::find(features_, 0) != features_.end();
    const std::string counts = !is_read ? "" : doubts_.index_in_first_column(names_.has_value());
    std::vector<std::size_t> found;
    for (const std::size_t column : features_)
      if (identifiers_.tells_rows_apart(column) || (column == 0 && !counts.empty())) found.push_back(column);
    if (found.empty()) return;
    std::size_t left = 0;
    while (left < found.size() && found[left] == left && left + 2 < read_.size()) ++left;
    if (left <= 1 && !counts.empty()) {
      ask("the first column " + counts + ", as an index does; expected " + skip_or_not(1) + beside(found, 1));
    } else if (left == 0) {
      ask("column " + std::to_string(found[0] + 1) + " is called " + in_quotes((*names_)[found[0]]) +
          ", and has another value in every row, as an identifier does; expected " + ignoring(found[0]) +
          ", which leaves it out, or data.skip = 0, which keeps it");
    }
    std::vector<std::string> names;
    for (std::size_t column = 0; column < left; ++column) names.push_back(in_quotes((*names_)[column]));
    ask(first_columns(left) + (left == 1 ? " is called " : " are called ") + enumerated(names) + ", and " +
        (left == 1 ? "has" : "have") + " another value in every row, as " +
        (left == 1 ? "an identifier does" : "identifiers do") + "; expected " + skip_or_not(left) +
        beside(found, left));
  }

  /// "data.ignore = ["Name"]", with the names that are ignored already.
  std::string ignoring(std::size_t column) const {
    std::vector<std::string> names = layout_.ignore;
    names.push_back((*names_)[column]);
    return "data.ignore = " + toml_list(names);
  }

  /// Says of an identifier that is none of the `left` first columns that data.skip does not leave it out.
  std::string beside(const std::vector<std::size_t>& found, std::size_t left) const {
    if (found.size() <= left) return "";
    return "; column " + std::to_string(found[left] + 1) + ", " + in_quotes((*names_)[found[left]]) +
           ", is another, which " + ignoring(found[left]) + " leaves out";
  }

  void ask_about_header() const {
    if (names_ || layout_.header || !doubts_.first_row_may_be_header()) return;
    ask("its first line may be a header of numbers; expected data.header = true, or data.header = false if "
        "it is a sample");
  }

  const std::filesystem::path& path_;
  const CsvLayout& layout_;
  CsvColumns& shared_;  // with the files that belong to this one
  std::size_t columns_ = 0;
  std::size_t comment_ = 0;  // the number of the first line if it is marked as a comment, as numpy's headers
  std::size_t target_ = 0;
  std::vector<std::size_t> read_;                  // the columns of features and target, ascending
  std::vector<std::size_t> features_;              // their columns, in the order of the samples
  std::optional<std::vector<std::string>> names_;  // of the header
  std::vector<std::string_view> fields_;
  std::size_t rows_ = 0;
  CsvDoubts doubts_;
  CsvIdentifiers identifiers_;
  std::vector<Scalar> values_;  // of the row at hand, by column
  std::vector<Scalar> numbers_;
  Samples<Scalar> samples_;
};

}  // namespace

template <class Scalar>
Samples<Scalar> read_csv(const std::filesystem::path& path, const CsvLayout& layout, CsvColumns& columns,
                         DataMemory& memory) {
  const std::string text = read_data_text(path, memory);
  CsvReader<Scalar> reader(path, layout, columns);
  for_each_line(text, [&](std::string_view line, std::size_t number) { reader.take(line, number); });
  return reader.samples();
}

template Samples<float> read_csv<float>(const std::filesystem::path&, const CsvLayout&, CsvColumns&,
                                        DataMemory&);
template Samples<double> read_csv<double>(const std::filesystem::path&, const CsvLayout&, CsvColumns&,
                                          DataMemory&);

}  // namespace hearsay
