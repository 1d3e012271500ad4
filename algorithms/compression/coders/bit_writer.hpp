#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace hearsay {

/// Returns the word to store so that its highest byte comes first in memory. Its own inverse.
inline std::uint64_t big_endian(std::uint64_t word) {
  return std::endian::native == std::endian::little ? __builtin_bswap64(word) : word;
}

/// Writes words of a few bits one after another, the first bit as the highest bit of the first byte. The
/// caller provides enough room in `out`.
class BitWriter {
 public:
  BitWriter() : BitWriter(std::span<std::byte>()) {}
  explicit BitWriter(std::span<std::byte> out)
      : begin_(out.data()), at_(out.data()), end_(out.data() + out.size()) {}

  /// Adds the lowest `count` bits of a word below 2^count; 1 to 56 bits between two flushes.
  void add(std::uint64_t word, unsigned count) {
    filled_ += count;
    window_ |= word << (64 - filled_);
  }
  /// Moves the whole bytes out of the window.
  void flush() {
    const unsigned bytes = filled_ / 8;
    // Stores eight bytes at once if there is room, even if fewer of them are whole.
    if (end_ - at_ >= 8) {
      const std::uint64_t word = big_endian(window_);
      std::memcpy(at_, &word, sizeof(word));
    } else {
      for (unsigned k = 0; k < bytes; ++k) at_[k] = static_cast<std::byte>(window_ >> (56 - 8 * k));
    }
    at_ += bytes;
    window_ <<= 8 * bytes;
    filled_ -= 8 * bytes;
  }
  /// `add` and `flush` for any count up to 64.
  void put(std::uint64_t word, unsigned count) {
    if (count > 56) {
      put(word >> 32, count - 32);
      word &= 0xFFFFFFFF;
      count = 32;
    }
    if (count == 0) return;
    add(word, count);
    flush();
  }
  /// Adds whole bytes.
  void put(std::span<const std::byte> bytes) {
    for (; bytes.size() >= 8 && end_ - at_ >= 8; bytes = bytes.subspan(8)) {
      std::uint64_t word;
      std::memcpy(&word, bytes.data(), sizeof(word));
      const std::uint64_t next = big_endian(word);
      const std::uint64_t whole = big_endian(window_ | next >> filled_);
      std::memcpy(at_, &whole, sizeof(whole));
      at_ += sizeof(whole);
      window_ = next << 1 << (63 - filled_);
    }
    for (const std::byte byte : bytes) put(std::to_integer<std::uint64_t>(byte), 8);
  }
  /// Fills the last byte up with zeros. Returns how many bytes were written.
  std::size_t finish() {
    if (filled_ > 0) *at_++ = static_cast<std::byte>(window_ >> 56);
    filled_ = 0;
    return static_cast<std::size_t>(at_ - begin_);
  }

 private:
  std::byte* begin_;
  std::byte* at_;
  std::byte* end_;
  std::uint64_t window_ = 0;  ///< the bits not yet moved out, the first one highest
  unsigned filled_ = 0;       ///< the number of bits in the window; below 8 after a flush
};

}  // namespace hearsay
