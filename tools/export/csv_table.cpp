#include "tools/export/csv_table.hpp"

#include <algorithm>

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

std::string cell_of(const Json& value) {
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string text = "\"";
  for (const char character : cell)
    text += character == '"' ? std::string("\"\"") : std::string(1, character);
  return text + "\"";
}

}  // namespace

void CsvTable::set(const std::string& column, const Json& value) {
  if (value.is_object()) {
    for (const auto& [key, member] : value.items()) set(column + "." + key, member);
    return;
  }
  std::string cell;
  if (value.is_array()) {
    if (!std::ranges::all_of(value, [](const Json& element) { return element.is_primitive(); })) return;
    for (const Json& element : value) cell += (cell.empty() ? "" : " ") + cell_of(element);
  } else {
    cell = cell_of(value);
  }
  const auto [place, is_new] = place_of_.try_emplace(column, columns_.size());
  if (is_new) columns_.push_back(column);
  rows_.back()[place->second] = std::move(cell);
}

std::string CsvTable::text() const {
  std::string text;
  for (std::size_t k = 0; k < columns_.size(); ++k) text += (k == 0 ? "" : ",") + quoted(columns_[k]);
  text += "\n";
  for (const auto& row : rows_) {
    for (std::size_t k = 0; k < columns_.size(); ++k) {
      if (k > 0) text += ",";
      if (const auto cell = row.find(k); cell != row.end()) text += quoted(cell->second);
    }
    text += "\n";
  }
  return text;
}

}  // namespace hearsay
