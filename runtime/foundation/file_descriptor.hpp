#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

namespace hearsay {

/// An open file, which the destructor closes. False if the file could not be opened (errno says why).
class FileDescriptor {
 public:
  FileDescriptor() = default;
  /// Takes over an open file; -1: none.
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(const std::filesystem::path& path, int flags)
      : number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    if (number_ >= 0) ::close(number_);
  }
  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  /// True if the file was closed without an error. Some file systems report only here that the disk is full.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_ = -1;
};

/// Writes `bytes` at `offset`, or at the file's current position if there is no offset. Returns how many
/// bytes were written: all, or those before an error (errno says which). A signal (EINTR) is no error.
inline std::size_t write_all(int file, std::string_view bytes, std::optional<::off_t> offset = {}) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const char* const from = bytes.data() + done;
    const ::ssize_t written =
        offset ? ::pwrite(file, from, bytes.size() - done, *offset + static_cast<::off_t>(done))
               : ::write(file, from, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += static_cast<std::size_t>(written);
  }
  return done;
}

}  // namespace hearsay
