#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "algorithms/compression/coders/bit_writer.hpp"

namespace hearsay {

/// Writes bits backwards: each word goes in front of those already written.
class BackwardWriter {
 public:
  /// `end` is the end of the place; before it there must be 8 bytes more than are written.
  explicit BackwardWriter(std::byte* end) : at_(end) {}

  /// Adds the lowest `count` bits of `word`: at most 56 bits between two flushes.
  void add(std::uint64_t word, unsigned count) {
    window_ |= word << filled_;
    filled_ += count;
  }
  void flush() {
    const std::uint64_t word = big_endian(window_);
    std::memcpy(at_ - sizeof(word), &word, sizeof(word));
    at_ -= filled_ / 8;
    window_ >>= filled_ & ~7u;
    filled_ &= 7;
  }
  std::byte* at() const { return at_; }
  std::uint64_t window() const { return window_; }
  unsigned filled() const { return filled_; }

 private:
  std::byte* at_;
  std::uint64_t window_ = 0;  ///< the first bits of the message so far, the last of them lowest
  unsigned filled_ = 0;
};

}  // namespace hearsay
