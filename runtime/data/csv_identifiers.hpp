#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

/// True for a name of a column that tells rows apart: "PassengerId", "uuid", "row_no", "Sample code number",
/// "#", and for a column without a name, which pandas calls "Unnamed: 0".
bool names_an_identifier(std::string_view name);

/// True for a column without a name, which pandas calls "Unnamed: 0".
bool has_no_name(std::string_view name);

/// Finds out, row by row, which of the columns with such a name have another whole number in every row.
class CsvIdentifiers {
 public:
  /// `names` are those of the header.
  void watch(const std::vector<std::string>& names);
  void take(const std::vector<std::string_view>& fields);

  /// True if the column has such a name, and its numbers are whole and distinct.
  bool tells_rows_apart(std::size_t column) const;

 private:
  struct Column {
    std::size_t number;
    std::vector<std::uint64_t> values = {};  // bits of a number, or a hash of its digits if it is large
    bool whole = true;
  };
  std::vector<Column> columns_;
};

}  // namespace hearsay
