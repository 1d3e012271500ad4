#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace hearsay {

/// Where tests write: into memory, if there is enough of it and TMPDIR names no other place. Checkpoints are
/// written through, and waiting for a disk is most of the time of the tests of crashes.
inline std::filesystem::path place_of_tests() {
  const std::filesystem::path memory = "/dev/shm";
  std::error_code error;
  const std::filesystem::space_info space = std::filesystem::space(memory, error);
  const bool is_roomy =
      !error && space.available > std::uintmax_t{1} << 30 && access(memory.c_str(), W_OK) == 0;
  return is_roomy && std::getenv("TMPDIR") == nullptr ? memory : std::filesystem::temp_directory_path();
}

/// A folder of this process, removed with the object.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& name)
      : path_(place_of_tests() / (name + "-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  /// Writes a file into the folder and returns its path.
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace hearsay
