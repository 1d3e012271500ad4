#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

/// A file that grows by whole lines. Where a line cannot be written (the disk is full), it waits in memory
/// with those behind it, and the next one tries again: nobody's training ends because its record has no room
/// for a while.
class RecordFile {
 public:
  /// Not open.
  RecordFile() = default;
  /// Goes on behind what is there. With `on_disk`, a line is on the disk when it is written, even if the
  /// machine loses power.
  RecordFile(const std::filesystem::path& path, bool on_disk);

  bool is_open() const { return static_cast<bool>(file_); }
  void append(std::string_view line);
  /// Why lines still wait; nothing where all are written.
  const std::optional<std::string>& defect() const { return defect_; }
  /// Tries again to write what waits.
  void write_waiting();

 private:
  std::filesystem::path path_;
  FileDescriptor file_;
  bool on_disk_ = false;
  std::uint64_t written_bytes_ = 0;  // whole lines only
  std::string waiting_;
  std::optional<std::string> defect_;
};

}  // namespace hearsay
