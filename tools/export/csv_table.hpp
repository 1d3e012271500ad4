#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hearsay {

/// A table that becomes a CSV file. Its columns are those that any row has, in the order in which they came.
class CsvTable {
 public:
  void begin_row() { rows_.emplace_back(); }
  /// Sets a cell of the row that was begun last, again if it was set before. A member of an object has a
  /// column of its own, "peer_seconds.wait". A list of plain values is one text with spaces. Other lists are
  /// left out.
  void set(const std::string& column, const nlohmann::ordered_json& value);
  std::size_t row_count() const { return rows_.size(); }

  /// Returns the table in UTF-8, with a header, quoted as RFC 4180 says; lines end with "\n". Null is an
  /// empty cell. Numbers have all their digits.
  std::string text() const;

 private:
  std::vector<std::string> columns_;
  std::map<std::string, std::size_t> place_of_;  // of a column
  std::vector<std::map<std::size_t, std::string>> rows_;
};

}  // namespace hearsay
