#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hearsay {

/// What a file of JSON objects, one a line, holds.
struct RecordLines {
  std::vector<nlohmann::ordered_json> objects;  ///< without "crc32"
  /// Whole lines that are no objects, numbered from 1: only of a file without checksums.
  std::vector<std::size_t> unreadable;
  std::optional<std::string> checksum;  ///< that the last line says; empty if the lines have none
};

/// Reads the lines of a file; of none, if there is no such file. A last line that was not written to its end
/// is left out. Throws DamagedRecord, which names file and line, if the lines have checksums and one of them
/// is not that of its line: the file is not as it was written. A file of an earlier version has none.
RecordLines read_record_lines(const std::filesystem::path& file);

/// Throws DamagedRecord if the file `name` in `folder` is there and lacks lines at its end: the run's
/// summary, which may be null, tells the checksum of its last line as crc32_of. `checksum` is that of the
/// last of `lines` lines that were read.
void require_last_line(const std::filesystem::path& folder, const char* name,
                       const nlohmann::ordered_json& summary, const std::optional<std::string>& checksum,
                       std::size_t lines);

}  // namespace hearsay
