#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

namespace hearsay {

/// How many bytes the data files of a run may come to, all together and inflated. A file that is more than it
/// looks (gigabytes of zeros in a small gzip file, a pipe that never ends) is refused instead of taking all
/// memory.
class DataMemory {
 public:
  /// No limit, for files that are no data: models.
  DataMemory() = default;
  /// As data.memory spells it: "8 GB", or a share of this machine's memory, "50%". Throws Misuse if it is
  /// neither.
  explicit DataMemory(const std::string& spelled);

  std::uint64_t left() const { return left_; }
  /// Throws Misuse if so many bytes of a file are more than is left.
  void require_room(const std::filesystem::path& file, std::uint64_t bytes) const;
  /// The file has been read: the same, and its bytes are no longer left.
  void take(const std::filesystem::path& file, std::uint64_t bytes);

 private:
  std::string spelled_;
  std::uint64_t bytes_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t left_ = bytes_;
};

}  // namespace hearsay
