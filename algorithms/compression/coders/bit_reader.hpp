#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "algorithms/compression/coders/bit_writer.hpp"

namespace hearsay {

/// Reads what BitWriter writes, or arbitrary bytes. After the last byte it reads zeros, and `finish` then
/// reports the failure.
class BitReader {
 public:
  explicit BitReader(std::span<const std::byte> in) : in_(in.data()), size_(in.size()) {}

  /// Makes sure that the window holds at least 56 bits.
  void refill() {
    if (next_ + 8 <= size_) {
      std::uint64_t word;
      std::memcpy(&word, in_ + next_, sizeof(word));
      // The window may already hold bits beyond `filled_`; they are the same bits.
      window_ |= big_endian(word) >> filled_;
      next_ += (63 - filled_) / 8;
      filled_ |= 56;
      return;
    }
    for (; filled_ <= 56; filled_ += 8, ++next_)
      if (next_ < size_) window_ |= std::to_integer<std::uint64_t>(in_[next_]) << (56 - filled_);
  }
  /// The next bits, the first one highest.
  std::uint64_t window() const { return window_; }
  /// Drops `count` bits of the window, at most 63.
  void skip(unsigned count) {
    window_ <<= count;
    filled_ -= count;
  }
  /// Takes and returns `count` bits of the window, at most 63.
  std::uint64_t take(unsigned count) {
    const std::uint64_t word = window_ >> 1 >> (63 - count);
    skip(count);
    return word;
  }
  /// Refills, then takes `count` bits, at most 56.
  std::uint64_t read(unsigned count) {
    refill();
    return take(count);
  }
  /// Returns how many bytes were read; nothing if more bits were read than there are, or if an unused bit of
  /// the last byte is not 0.
  std::optional<std::size_t> finish() const {
    const std::size_t bits = 8 * next_ - filled_;
    if (bits > 8 * size_) return std::nullopt;
    const std::size_t bytes = (bits + 7) / 8;
    if (bits % 8 != 0 && (std::to_integer<unsigned>(in_[bytes - 1]) & (0xFFu >> bits % 8)) != 0)
      return std::nullopt;
    return bytes;
  }

 private:
  const std::byte* in_;
  std::size_t size_;
  std::size_t next_ = 0;  ///< the first byte that is not in the window; beyond size_ if zeros were added
  std::uint64_t window_ = 0;
  unsigned filled_ = 0;
};

}  // namespace hearsay
