#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/program/hello.hpp"

namespace hearsay {

/// Memory that this process shares with a program and with the processes that it forks.
class SharedMemory {
 public:
  /// Throws Misuse if the machine does not give so much memory.
  explicit SharedMemory(const MemoryLayout& layout);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  int descriptor() const { return file_.number(); }
  const MemoryLayout& layout() const { return layout_; }
  /// Returns `size` bytes from `offset` on.
  std::span<std::byte> part(std::size_t offset, std::size_t size) const {
    return {static_cast<std::byte*>(address_) + offset, size};
  }

 private:
  MemoryLayout layout_;
  FileDescriptor file_;
  void* address_ = nullptr;
};

/// This end of the socket to a program: one message is one datagram.
class ProgramChannel {
 public:
  ProgramChannel() = default;
  explicit ProgramChannel(FileDescriptor socket) : socket_(std::move(socket)) {}

  /// Sends `bytes`, and a file descriptor beside them unless `beside` is -1. False if the program is gone.
  bool send(std::span<const std::byte> bytes, int beside = -1) const;
  bool send(std::string_view text, int beside = -1) const {
    return send(std::as_bytes(std::span(text)), beside);
  }

  enum class Heard { message, end, silence };
  /// Waits for the next message, which `message` then returns. Heard::end: the program has ended, or closed
  /// its socket. Heard::silence: no message came for `patience_ms` (-1: waits as long as it takes).
  /// `watch` is readable once the program has ended (-1: not known): what it has forked may hold its socket
  /// longer.
  Heard receive(int patience_ms, int watch);
  /// True if `receive` would not have to wait.
  bool has_word() const;
  /// Valid until the next call of `receive`.
  std::span<const std::byte> message() const { return std::span(buffer_).first(length_); }
  void close() { socket_ = {}; }
  bool is_open() const { return static_cast<bool>(socket_); }

 private:
  FileDescriptor socket_;
  std::vector<std::byte> buffer_;
  std::size_t length_ = 0;  // of the message in the buffer
};

}  // namespace hearsay
