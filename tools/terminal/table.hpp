#pragma once

#include <string>
#include <vector>

namespace hearsay {

/// A table of text whose columns line up: words to the left, numbers to the right.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string heading;
    Align align = Align::left;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns.
  void add(std::vector<std::string> cells);
  /// Headings (unless all are empty) and rows, two blanks between the columns, each line indented and ended.
  std::string text(std::size_t indent = 0) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace hearsay
