#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

// Files that are written and read as a whole.

/// What a written file survives.
enum class Durability {
  end_of_process,  ///< the process may die at any moment
  power_failure,   ///< the machine, too: the file and its name are on the disk once it is written
};

/// Writes the parts, one behind the other, as a file that is there as a whole or not at all: under the name
/// NAME.partial first, which is then renamed. Nothing if that went well; else why not ("cannot write NAME:
/// ..."), and what was there before still is.
std::optional<std::string> try_to_write_file(const std::filesystem::path& path,
                                             std::initializer_list<std::string_view> parts,
                                             Durability durability);
/// The same with Durability::end_of_process; Misuse with the reason if it cannot be written.
void write_file(const std::filesystem::path& path, std::initializer_list<std::string_view> parts);

/// The bytes of a regular file, or why they cannot be read.
struct FileBytes {
  std::optional<std::vector<std::byte>> bytes;
  std::string defect;
};
FileBytes read_bytes(const std::filesystem::path& path);

/// The whole text of a file or a pipe; Misuse "cannot read FILE: why" if it is not there, or longer than 64
/// MiB.
std::string read_text_file(const std::string& path);

/// "KIND-PEER-ITERATION", the iteration in 12 digits or more.
std::string numbered_name(const std::string& kind, std::uint32_t peer, std::uint64_t iteration);
/// The iterations of the files of that kind and peer in a directory, ascending. None where it cannot be read.
std::vector<std::uint64_t> numbered_files(const std::filesystem::path& directory, const std::string& kind,
                                          std::uint32_t peer);
/// What is left of such files where a process died while it wrote one.
std::vector<std::filesystem::path> partial_files(const std::filesystem::path& directory,
                                                 const std::string& kind, std::uint32_t peer);

}  // namespace hearsay
