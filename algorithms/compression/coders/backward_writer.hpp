#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "algorithms/compression/coders/bit_writer.hpp"

namespace hearsay {

/// Writes bits before those that it has written, from the end of a place to its front.
class BackwardWriter {
 public:
  /// Before `end` there must be 8 bytes more than are written.
  explicit BackwardWriter(std::byte* end) : at_(end) {}

  /// Up to 56 bits from flush to flush.
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
