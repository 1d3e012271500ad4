#include "runtime/record/checksummed_record.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "runtime/record/crc32_text.hpp"
#include "runtime/record/damaged_record.hpp"
#include "runtime/record/summary.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view record_member = ",\n  \"crc32\": \"";
constexpr std::string_view record_ending = "\n}";

std::string checksum_of(std::string_view body) { return crc32_text(crc32_after(0, body)); }

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
  const std::string checksum = checksum_of(std::string_view(text).substr(0, text.rfind(record_member)));
  if (*told != checksum)
    throw DamagedRecord(file + ": it was changed after it was written: its crc32 is \"" + checksum +
                        "\", and the file says " + told->dump() +
                        "; expected the file as it was written, or, edited by hand, without its crc32");
  record.erase("crc32");
  return record;
}

}  // namespace hearsay
