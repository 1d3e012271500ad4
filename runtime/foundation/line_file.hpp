#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

/// A file that grows by whole lines. If a line cannot be written (the disk is full, say), it waits in memory,
/// and so do the lines after it. The next `append` tries again: a full disk does not end the training.
class LineFile {
 public:
  /// No file: `is_open()` is false.
  LineFile() = default;
  /// Opens `path` to append to it; makes the file if it does not exist. With `on_disk`, a line that `append`
  /// has written survives a power failure. Throws Misuse if the file cannot be opened.
  LineFile(const std::filesystem::path& path, bool on_disk);

  bool is_open() const { return static_cast<bool>(file_); }
  void append(std::string_view line);
  /// Returns why the last write failed; empty if every line is written (with `on_disk`: is on the disk).
  const std::optional<std::string>& defect() const { return defect_; }
  /// Tries again to write the lines that wait.
  void write_waiting();
  /// True if somebody has removed the file since it was opened: its lines go nowhere.
  bool was_removed() const;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  bool on_disk_ = false;
  std::uint64_t written_bytes_ = 0;  // whole lines only
  std::string waiting_;
  std::optional<std::string> defect_;
};

}  // namespace hearsay
