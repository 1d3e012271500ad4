#pragma once

#include <zlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

/// A new temporary folder of data files, removed with the object.
class DataFolder {
 public:
  DataFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "hearsay-test-XXXXXX").string();
    ensure(mkdtemp(pattern.data()) != nullptr, "a temporary folder can be made");
    path_ = pattern;
  }
  ~DataFolder() { std::filesystem::remove_all(path_); }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

  /// Writes a file and returns its path.
  std::string write(const std::string& name, std::string_view content) const {
    const auto file = path_ / name;
    // Some file systems flush a file that is overwritten, which would make a thousand writes slow.
    std::filesystem::remove(file);
    std::ofstream(file, std::ios::binary) << content;
    return file.string();
  }

  std::string write_gzipped(const std::string& name, std::string_view content) const {
    const auto file = path_ / name;
    const gzFile out = gzopen(file.c_str(), "wb");
    gzwrite(out, content.data(), static_cast<unsigned>(content.size()));
    gzclose(out);
    return file.string();
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// Returns the four bytes of `value`, the most significant first.
inline std::string big_endian(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

}  // namespace hearsay::test
