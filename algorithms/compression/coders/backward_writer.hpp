#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "algorithms/compression/coders/bit_writer.hpp"

namespace hearsay {

/// Writes bits backwards: each word goes in front of those already written.
class BackwardWriter {
 public:
  /// Writes in front of `end`, where there must be 8 bytes more than are written.
  explicit BackwardWriter(std::byte* end) : at_(end) {}

  /// Adds the lowest `count` bits of a word below 2^count; at most 56 bits between two flushes.
  void add(std::uint64_t word, unsigned count) {
    window_ |= word << filled_;
    filled_ += count;
  }
  /// Moves the whole bytes out of the window.
  void flush() {
    const std::uint64_t word = big_endian(window_);
    std::memcpy(at_ - sizeof(word), &word, sizeof(word));
    at_ -= filled_ / 8;
    window_ >>= filled_ & ~7u;
    filled_ &= 7;
  }
  /// The first byte written so far.
  std::byte* at() const { return at_; }
  std::uint64_t window() const { return window_; }
  unsigned filled() const { return filled_; }

 private:
  std::byte* at_;
  std::uint64_t window_ = 0;  ///< the bits not yet moved out; they come before those at `at_`
  unsigned filled_ = 0;
};

}  // namespace hearsay
