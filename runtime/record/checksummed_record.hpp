#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hearsay {

/// Returns the record, indented, as the text of a file. Its last member is "crc32": the CRC-32 (zlib's) of
/// the text before the comma in front of it.
std::string checksummed_text(const nlohmann::ordered_json& record);

/// Returns the object that the text of `file` holds, without "crc32"; null if it holds none. Throws
/// DamagedRecord if there is a "crc32" that is not that of the text: the file is not as it was written. A
/// record of an earlier version has none.
nlohmann::ordered_json parse_checksummed(const std::string& text, const std::string& file);

/// Returns summary.json of a run's output directory; null if there is none, or if it holds no object. Throws
/// DamagedRecord as above.
nlohmann::ordered_json summary_in(const std::filesystem::path& directory);

}  // namespace hearsay
