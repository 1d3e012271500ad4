#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hearsay {

/// Writes a file that is there as a whole or not at all, even if the machine loses power: under the name NAME.partial first,
/// brought to the disk, renamed, and the directory brought to the disk. Nothing where that went well; else why not, and
/// what was there before still is.
std::optional<std::string> write_durably(const std::filesystem::path& file, std::span<const std::byte> bytes);

/// The bytes of a regular file, or why they cannot be read.
struct FileBytes {
  std::optional<std::vector<std::byte>> bytes;
  std::string defect;
};
FileBytes read_bytes(const std::filesystem::path& file);

/// "KIND-PEER-ITERATION", the iteration in 12 digits or more.
std::string numbered_name(const std::string& kind, std::uint32_t peer, std::uint64_t iteration);
/// The iterations of the files of that kind and peer in a directory, ascending. None where it cannot be read.
std::vector<std::uint64_t> numbered_files(const std::filesystem::path& directory, const std::string& kind,
                                          std::uint32_t peer);
/// What is left of such files where a process died while it wrote one.
std::vector<std::filesystem::path> partial_files(const std::filesystem::path& directory,
                                                 const std::string& kind, std::uint32_t peer);

}  // namespace hearsay
