#include "runtime/record/checksummed_record.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/crc32_text.hpp"
#include "runtime/record/damaged_record.hpp"
#include "runtime/record/summary.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view record_member = ",\n  \"crc32\": \"";
constexpr std::string_view record_ending = "\n}";

constexpr const char* expectation =
    "; expected the file as it was written, or, edited by hand, without its crc32";

std::string checksum_of(std::string_view body) { return crc32_text(crc32_after(0, body)); }

/// True if the text is the member with this checksum and the end of the object, and white space.
bool ends_in(std::string_view text, const std::string& checksum) {
  const std::string member = std::string(record_member) + checksum + "\"";
  if (!text.starts_with(member)) return false;
  const std::size_t brace = text.find_first_not_of(" \t\r\n", member.size());
  return brace != text.npos && text[brace] == '}' &&
         text.find_first_not_of(" \t\r\n", brace + 1) == text.npos;
}

}  // namespace

std::string checksummed_text(const Json& record) {
  std::string text = json_text(record, 2);
  text.resize(text.size() - record_ending.size());
  const std::string checksum = checksum_of(text);
  return text + std::string(record_member) + checksum + "\"" + std::string(record_ending) + "\n";
}

Json parse_checksummed(const std::string& text, const std::string& file) {
  Json record = Json::parse(text, nullptr, false);
  if (!record.is_object()) return nullptr;
  const auto told = record.find("crc32");
  if (told == record.end()) return record;
  const std::size_t end = text.rfind(record_member);
  const std::string checksum = checksum_of(std::string_view(text).substr(0, end));
  if (end != text.npos && *told == checksum && !ends_in(std::string_view(text).substr(end), checksum))
    throw DamagedRecord(file + ": it was changed after it was written: it does not end in its crc32" +
                        expectation);
  if (*told != checksum)
    throw DamagedRecord(file + ": it was changed after it was written: its crc32 is \"" + checksum +
                        "\", and the file says " + told->dump() + expectation);
  record.erase("crc32");
  return record;
}

Json summary_in(const std::filesystem::path& directory) {
  std::error_code ignored;
  const std::filesystem::path file = directory / "summary.json";
  if (!std::filesystem::is_regular_file(file, ignored)) return nullptr;
  return parse_checksummed(read_text_file(file), file.string());
}

}  // namespace hearsay
