#include "runtime/settings/trace_setting.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/foundation/whole_file.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

constexpr double unlimited = std::numeric_limits<double>::infinity();

/// A row as text, and a label for messages: "run.toml:4: network.bandwidth_trace: trace.csv:2".
struct TraceLine {
  std::string label;
  std::string text;
};

/// A row in quotes, for messages; of a long one, its beginning.
std::string quoted_beginning(std::string_view row) {
  constexpr std::size_t most_letters = 80;
  return "\"" + std::string(row.substr(0, most_letters)) + "\"";
}

/// True for "seconds,bandwidth", whatever its case, spaces and quotes.
bool is_heading(std::string_view line) {
  std::string letters;
  for (const char letter : line)
    if (letter != ' ' && letter != '"') letters += static_cast<char>(letter | 0x20);
  return letters == "seconds,bandwidth";
}

/// Returns the file's rows: all lines that are neither blank nor the heading.
std::vector<TraceLine> lines_of_trace_file(const Setting& setting, const fs::path& file) {
  std::vector<TraceLine> lines;
  std::istringstream in(read_text_file(setting.label(), file.string()));
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);  // the byte order mark of UTF-8
    if (line.find_first_not_of(" \t") == std::string::npos || (number == 1 && is_heading(line))) continue;
    lines.push_back({setting.label() + ": " + file.string() + ":" + std::to_string(number), line});
  }
  return lines;
}

BandwidthTrace::Row parse_row(const std::string& label, std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos)
    throw Misuse(label, quoted_beginning(text), "expected seconds,bandwidth such as \"1.5,10 Mbit/s\"");
  const std::string seconds = std::string(text.substr(0, comma)) + " s";
  std::string bandwidth(text.substr(comma + 1));
  const std::size_t digit = std::min(bandwidth.find_first_not_of(' '), bandwidth.size());
  const std::size_t behind = std::min(bandwidth.find(' ', digit), bandwidth.size());
  const std::string number = bandwidth.substr(digit, behind - digit);
  const bool is_outage = number == "0" || number == "0.0";
  if (is_outage) bandwidth.replace(digit, number.size(), "1");  // checks the unit: parse_bandwidth refuses 0
  const Bandwidth rate = parse_bandwidth(label, bandwidth);
  return {parse_duration(label, seconds), is_outage ? 0.0 : rate.unlimited() ? unlimited : rate.bytes_per_s};
}

std::string row_text(const BandwidthTrace::Row& row) {
  const std::int64_t whole = row.at.count() / 1'000'000'000;
  std::string decimals = std::to_string(row.at.count() % 1'000'000'000 + 1'000'000'000).substr(1);
  decimals.erase(decimals.find_last_not_of('0') + 1);
  return std::to_string(whole) + (decimals.empty() ? "" : "." + decimals) + "," +
         (row.bytes_per_s == 0.0         ? "0 bit/s"
          : row.bytes_per_s == unlimited ? "unlimited"
                                         : to_text(Bandwidth{row.bytes_per_s}));
}

/// Makes a trace of its lines. `label` names the setting in messages about the trace as a whole.
BandwidthTrace parse_trace(const std::string& label, std::span<const TraceLine> lines) {
  std::vector<BandwidthTrace::Row> rows;
  for (const TraceLine& line : lines) {
    rows.push_back(parse_row(line.label, line.text));
    if (rows.size() == 1 ? rows[0].at == Duration{0} : rows.back().at > rows[rows.size() - 2].at) continue;
    throw Misuse(line.label, quoted_beginning(line.text),
                 rows.size() == 1 ? "the first row begins at 0 seconds"
                                  : "expected a time at least 1 ns later than in the row before");
  }
  if (rows.empty()) throw Misuse(label + ": expected rows of seconds,bandwidth, and there are none");
  if (std::ranges::all_of(rows, [](const auto& row) { return row.bytes_per_s == 0.0; }))
    throw Misuse(label + ": its bandwidth is 0 for ever; expected a row that lets something through");
  return BandwidthTrace(std::move(rows));
}

}  // namespace

BandwidthTrace read_trace(const Setting& setting, const std::filesystem::path& directory) {
  std::vector<TraceLine> lines;
  if (const auto* const rows = std::get_if<TomlArray>(&setting.value.data)) {
    for (const TomlValue& row : *rows) {
      const Setting of_row{setting.key, row};
      lines.push_back({of_row.label(), of_row.text()});
    }
  } else if (std::holds_alternative<std::string>(setting.value.data)) {
    lines = lines_of_trace_file(setting, setting.path(directory));
  } else {
    setting.refuse(
        "the name of a file of seconds,bandwidth, or such rows, [\"0,10 Mbit/s\", \"1.5,2 Mbit/s\"]");
  }
  return parse_trace(setting.label(), lines);
}

std::string spelled_trace(const BandwidthTrace& trace) {
  std::string text;
  for (const BandwidthTrace::Row& row : trace.rows())
    text += (text.empty() ? "[" : ", ") + toml_text(row_text(row));
  return text + "]";
}

}  // namespace hearsay
