#include "tools/terminal/table.hpp"

#include <algorithm>

#include "runtime/foundation/text_bytes.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// Returns the number of characters, not bytes, of UTF-8 text.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

void Table::add(std::vector<std::string> cells) {
  ensure(cells.size() == columns_.size(), "a table's row has a cell for each column");
  for (std::string& cell : cells) cell = printable(cell);
  rows_.push_back(std::move(cells));
}

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (const Column& column : columns_) widths.push_back(width_of(column.heading));
  for (const auto& row : rows_)
    for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], width_of(row[k]));

  std::string result;
  const auto add_line = [&](const auto& cell_of) {
    std::string line(indent, ' ');
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      const std::string& cell = cell_of(k);
      const std::string padding(widths[k] - width_of(cell), ' ');
      line += (k == 0 ? "" : "  ") + (columns_[k].align == Align::left ? cell + padding : padding + cell);
    }
    line.resize(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  };
  const bool headed = std::any_of(columns_.begin(), columns_.end(),
                                  [](const Column& column) { return !column.heading.empty(); });
  if (headed) add_line([&](std::size_t k) -> const std::string& { return columns_[k].heading; });
  for (const auto& row : rows_) add_line([&](std::size_t k) -> const std::string& { return row[k]; });
  return result;
}

}  // namespace hearsay
