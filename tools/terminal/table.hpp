#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace hearsay {

/// A table of text in columns, each aligned to the left (words) or to the right (numbers).
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string heading;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// Adds a row with as many cells as there are columns.
  void add(std::vector<std::string> cells);
  /// Returns the headings (unless all are empty) and the rows, two blanks between columns. Every line is
  /// indented by `indent` blanks and ends with a newline.
  std::string text(std::size_t indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hearsay
