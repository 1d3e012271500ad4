#include "runtime/data/csv_doubts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "runtime/data/data_file.hpp"

namespace hearsay {

namespace {

/// Evenly spaced numbers of so many rows, in the first column, are taken for an index.
constexpr std::size_t rows_of_an_index = 5;

/// The targets of so many rows say what range targets have.
constexpr std::size_t rows_of_a_range = 5;

bool is_whole(double number) { return number == std::floor(number); }

bool is_written_whole(std::string_view field) {
  return finite_number(field) && field.find_first_of(".eE") == std::string_view::npos;
}

bool all_whole(const std::vector<double>& numbers) { return std::ranges::all_of(numbers, is_whole); }

bool in_equal_steps(const std::vector<double>& numbers) {
  for (std::size_t k = 2; k < numbers.size(); ++k)
    if (numbers[k] - numbers[k - 1] != numbers[1] - numbers[0]) return false;
  return true;
}

bool are_distinct(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return std::ranges::adjacent_find(numbers) == numbers.end();
}

}  // namespace

void CsvDoubts::take(const std::vector<std::string_view>& fields, std::size_t target) {
  numbers_.clear();
  for (const std::string_view field : fields) numbers_.push_back(finite_number(field).value_or(std::nan("")));
  if (rows_ == 0) {
    first_ = numbers_;
    target_ = target;
    first_is_written_whole_ = std::ranges::all_of(fields, is_written_whole);
    fractional_.assign(fields.size(), true);
  } else {
    compare(fields, target);
  }
  follow_first_column();
  ++rows_;
}

CsvDoubts::Order CsvDoubts::order_of(const std::vector<double>& numbers) {
  if (std::ranges::adjacent_find(numbers, std::greater_equal<>()) == numbers.end()) return Order::ascending;
  if (std::ranges::adjacent_find(numbers, std::less_equal<>()) == numbers.end()) return Order::descending;
  return Order::none;
}

void CsvDoubts::compare(const std::vector<std::string_view>& fields, std::size_t target) {
  for (std::size_t column = 0; column < fields.size(); ++column)
    fractional_[column] = fractional_[column] && !is_written_whole(fields[column]);
  any_fraction_ = any_fraction_ || !all_whole(numbers_);
  all_sorted_alike_ = all_sorted_alike_ && order_of(numbers_) == order_of(first_);
  all_counted_alike_ = all_counted_alike_ && all_sorted_alike_ && in_equal_steps(numbers_);
  least_target_ = rows_ == 1 ? numbers_[target] : std::min(least_target_, numbers_[target]);
  most_target_ = rows_ == 1 ? numbers_[target] : std::max(most_target_, numbers_[target]);
}

bool CsvDoubts::first_row_may_be_header() const {
  if (!all_whole(first_)) return false;
  const Order order = order_of(first_);
  const bool steps = order != Order::none && in_equal_steps(first_);
  if (steps && first_[1] - first_[0] == 1.0) return true;
  if (rows_ < 2) return false;
  const bool below_unlike = std::ranges::find(fractional_, true) != fractional_.end();
  if (first_is_written_whole_ && below_unlike && are_distinct(first_)) return true;
  // Two numbers are always in equal steps, and sorted unless they are the same.
  if (order == Order::none || first_.size() < 3) return false;
  if (steps && !all_counted_alike_) return true;
  const bool own_target =
      rows_ > rows_of_a_range && (first_[target_] < least_target_ || first_[target_] > most_target_);
  return !all_sorted_alike_ && (any_fraction_ || own_target);
}

void CsvDoubts::follow_first_column() {
  const double number = numbers_.front();
  whole_column_ = whole_column_ && is_whole(number);
  if (!whole_column_) return;
  if (rows_ == 1) step_ = number - previous_;
  if (rows_ >= 2) evenly_spaced_ = evenly_spaced_ && number - previous_ == step_;
  previous_ = number;
}

std::string CsvDoubts::index_in_first_column(bool has_header) const {
  if (!whole_column_ || !evenly_spaced_ || rows_ < rows_of_an_index || step_ == 0.0) return "";
  if (std::abs(step_) == 1.0) return "counts the rows";
  return has_header ? "" : "has evenly spaced whole numbers";
}

}  // namespace hearsay
