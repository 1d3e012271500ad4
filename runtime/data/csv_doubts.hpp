#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

/// True if labels, ascending, may be measured numbers instead: if most samples have a label of their own, and
/// the labels do not count, or are more than ten.
template <class Scalar>
bool may_be_measured(const std::vector<Scalar>& labels, std::size_t samples) {
  const bool count = labels.back() - labels.front() == static_cast<Scalar>(labels.size() - 1);
  return 2 * labels.size() > samples && labels.size() > 2 && (labels.size() > 10 || !count);
}

/// Gathers from a file of columns, row by row, what says that its first line is no sample, or its first
/// column no feature.
class CsvDoubts {
 public:
  /// Takes the fields of the next row. `target` is the column of the target.
  void take(const std::vector<std::string_view>& fields, std::size_t target);

  /// True if the first row may be a header of numbers: if it counts, or is sorted and unlike the rows below.
  bool first_row_may_be_header() const;

  /// Returns what the first column does that an index does, as "counts the rows"; empty if it does nothing.
  /// Equal steps other than 1 are those of an index only if no header calls them anything else.
  std::string index_in_first_column(bool has_header) const;

 private:
  enum class Order { none, ascending, descending };

  static Order order_of(const std::vector<double>& numbers);
  void compare(const std::vector<std::string_view>& fields, std::size_t target);
  void follow_first_column();

  std::size_t rows_ = 0;
  std::vector<double> numbers_;  // of the row at hand
  std::vector<double> first_;    // the first row
  std::size_t target_ = 0;
  bool first_is_written_whole_ = true;  // without a decimal point
  std::vector<bool> fractional_;        // by column: no number was written whole, from the second row on
  bool any_fraction_ = false;           // a number below the first row is not whole
  bool all_sorted_alike_ = true;        // all rows below are sorted as the first one
  bool all_counted_alike_ = true;       // and in equal steps, too
  double least_target_ = 0.0;           // below the first row
  double most_target_ = 0.0;

  bool whole_column_ = true;   // the first column has whole numbers
  bool evenly_spaced_ = true;  // each the same step from the last
  double previous_ = 0.0;
  double step_ = 0.0;  // from its first number to its second
};

}  // namespace hearsay
