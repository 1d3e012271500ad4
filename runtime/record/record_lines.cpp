#include "runtime/record/record_lines.hpp"

#include <fstream>
#include <string_view>

#include "runtime/record/crc32_text.hpp"
#include "runtime/record/damaged_record.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view line_member = ",\"crc32\":\"";
constexpr std::string_view line_ending = "\"}";
constexpr std::size_t told_bytes = 8;

/// A line with a checksum: the text that it is of, and what it says.
struct ClosedLine {
  std::string_view text;
  std::string_view told;
};

/// Returns what stands after the beginning of the last checksum in the line; empty if none begins in it.
std::optional<std::string_view> after_member(std::string_view line) {
  const std::size_t at = line.rfind(line_member);
  return at == line.npos ? std::nullopt : std::optional(line.substr(at + line_member.size()));
}

std::optional<ClosedLine> closed(std::string_view line) {
  const auto rest = after_member(line);
  if (!rest || rest->size() != told_bytes + line_ending.size() || !rest->ends_with(line_ending))
    return std::nullopt;
  return ClosedLine{line.substr(0, line.size() - rest->size() - line_member.size()),
                    rest->substr(0, told_bytes)};
}

/// True if the line may have been cut off while it was written.
bool is_a_beginning(std::string_view line) {
  const auto rest = after_member(line);
  return !rest || rest->size() < told_bytes + line_ending.size();
}

std::string_view without_spaces_behind(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

[[noreturn]] void refuse_line(const std::filesystem::path& file, std::size_t line, const std::string& what) {
  throw DamagedRecord(file.string() + ", line " + std::to_string(line) + ": " + what +
                      "; expected the file as the run wrote it");
}

}  // namespace

RecordLines read_record_lines(const std::filesystem::path& file) {
  RecordLines record;
  std::ifstream lines(file, std::ios::binary);
  bool has_checksums = false;
  std::uint32_t crc = 0;
  std::size_t number = 0;
  for (std::string read; std::getline(lines, read);) {
    const std::string_view line = without_spaces_behind(read);
    const bool is_whole = !lines.eof();
    const auto with_checksum = closed(line);
    if (++number == 1) has_checksums = line.find("\"crc32\"") != line.npos;
    if (!has_checksums && with_checksum)
      refuse_line(file, number, "it has a crc32, and the lines before it have none");
    if (has_checksums && !with_checksum) {
      if (!is_whole && is_a_beginning(line)) break;
      refuse_line(file, number, "it was changed after it was written: it does not end in its crc32");
    }
    if (with_checksum) {
      crc = crc32_after(crc, with_checksum->text);
      if (crc32_text(crc) != with_checksum->told)
        refuse_line(
            file, number,
            "it was changed after it was written, or lines before it were moved or taken out: their crc32 "
            "is \"" +
                crc32_text(crc) + "\", and the line says \"" + std::string(with_checksum->told) + "\"");
      record.checksum = with_checksum->told;
    }
    Json object = Json::parse(line, nullptr, false);
    if (object.is_object()) {
      object.erase("crc32");
      record.objects.push_back(std::move(object));
    } else if (is_whole) {
      record.unreadable.push_back(number);
    }
  }
  return record;
}

void require_last_line(const std::filesystem::path& folder, const char* name, const Json& summary,
                       const std::optional<std::string>& checksum, std::size_t lines) {
  const auto told = summary.is_object() ? summary.find("crc32_of") : summary.end();
  std::error_code ignored;
  if (told == summary.end() || !told->is_object() ||
      !std::filesystem::is_regular_file(folder / name, ignored))
    return;
  const std::string read = checksum.value_or("00000000");  // of no line
  if (told->value(name, Json(read)) == read) return;
  throw DamagedRecord((folder / name).string() + ", line " + std::to_string(lines) +
                      ": it is not the last line of the run, whose crc32 is " +
                      told->value(name, Json()).dump() +
                      " according to summary.json; expected the file as the run wrote it");
}

}  // namespace hearsay
