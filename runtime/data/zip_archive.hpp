#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "runtime/data/data_memory.hpp"

namespace hearsay {

/// A file in a zip archive.
struct ZipEntry {
  std::string name;
  std::string content;
};

/// Returns the files of a zip archive, stored or deflated, in its order, and takes their bytes from `memory`.
/// Throws a Misuse that names archive and offset if it is damaged, and for what NumPy does not write: several
/// disks, encryption, files of 4 GiB and more.
std::vector<ZipEntry> read_zip(const std::filesystem::path& path, DataMemory& memory);

}  // namespace hearsay
