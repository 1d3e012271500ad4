#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/foundation/byte_parts.hpp"

namespace hearsay {

// Files that are written and read as a whole.

/// What a written file survives.
enum class Durability {
  end_of_process,  ///< the death of the process at any moment
  power_failure,   ///< a power failure, too: the file and its name are on the disk when the call returns
};

/// Replaces the file atomically by the concatenated parts: writes NAME.partial, then renames it to NAME.
/// Returns empty on success, else the reason ("cannot write NAME: ..."). If the write or the rename fails,
/// the old file is unchanged. If only the sync of the directory fails, the new file is in place.
std::optional<std::string> try_to_write_file(const std::filesystem::path& path,
                                             std::initializer_list<std::string_view> parts,
                                             Durability durability);
std::optional<std::string> try_to_write_file(const std::filesystem::path& path, const ByteParts& parts,
                                             Durability durability);
/// The same with Durability::end_of_process; throws Misuse with the reason if the file cannot be written.
void write_file(const std::filesystem::path& path, std::initializer_list<std::string_view> parts);
/// Writes files that are of no use without each other. Throws Misuse if one cannot be written; then those
/// before it are removed.
void write_files(const std::vector<std::pair<std::filesystem::path, std::string>>& files);

/// The bytes of a regular file, or why they cannot be read.
struct FileBytes {
  std::optional<std::vector<std::byte>> bytes;
  std::string defect;
};
FileBytes read_bytes(const std::filesystem::path& path);

/// Returns the whole text of a file or a pipe, without a byte order mark. Throws Misuse "cannot read FILE:
/// why" if that fails, or if the text is longer than 64 MiB; and "FILE is no text file: what it is".
std::string read_text_file(const std::string& path);
/// The same of the file that a setting names; the Misuse names the setting by `label`.
std::string read_text_file(const std::string& label, const std::string& path);

/// Returns "KIND-PEER-ITERATION", the iteration padded with zeros to 12 digits.
std::string numbered_name(const std::string& kind, std::uint32_t peer, std::uint64_t iteration);
/// Returns the iterations of that kind and peer's files in `directory`, ascending. Empty if the directory
/// cannot be read.
std::vector<std::uint64_t> numbered_files(const std::filesystem::path& directory, const std::string& kind,
                                          std::uint32_t peer);
/// Returns the .partial files of that kind and peer: what is left if a process died while it wrote one.
std::vector<std::filesystem::path> partial_files(const std::filesystem::path& directory,
                                                 const std::string& kind, std::uint32_t peer);

}  // namespace hearsay
