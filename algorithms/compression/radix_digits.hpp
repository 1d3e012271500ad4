#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "algorithms/arithmetic/wire_scalar.hpp"

namespace hearsay {

/// Numbers below k, 1 <= k <= 2^32, as the digits in base k of little-endian words of 64 bits, the first
/// number as the lowest digit: log2 k bits a number, and at most 7 % more for k <= 64. The last word has as
/// few bytes as its digits need.
class RadixDigits {
 public:
  explicit RadixDigits(std::uint64_t k) : k_(k) {
    if (k_ == 1) return;
    for (constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
         largest_ <= (most - (k_ - 1)) / k_; ++per_word_)
      largest_ = largest_ * k_ + (k_ - 1);
  }

  std::size_t bytes(std::size_t count) const {
    return k_ == 1 ? 0 : count / per_word_ * sizeof(std::uint64_t) + bytes_of_last(count % per_word_);
  }

  /// Writes `digit(0)`, ..., `digit(count - 1)` to `bytes(count)` bytes.
  template <class Digit>
  void write(std::size_t count, std::span<std::byte> bytes, Digit digit) const {
    if (k_ == 1) return;
    for (std::size_t begin = 0; begin < count; begin += per_word_) {
      const std::size_t size = std::min(per_word_, count - begin);
      std::uint64_t word = 0;
      for (std::size_t j = size; j-- > 0;) word = word * k_ + digit(begin + j);
      const std::size_t taken = size == per_word_ ? sizeof(word) : bytes_of_last(size);
      for (std::size_t b = 0; b < taken; ++b) bytes[b] = static_cast<std::byte>(word >> 8 * b);
      bytes = bytes.subspan(taken);
    }
  }

  /// Calls take(i, number) for i = 0, ..., count - 1. Returns false if `write` never writes such bytes.
  template <class Take>
  bool read(std::size_t count, std::span<const std::byte> bytes, Take take) const {
    if (k_ == 1) {
      for (std::size_t i = 0; i < count; ++i) take(i, std::uint64_t{0});
      return true;
    }
    for (std::size_t begin = 0; begin < count; begin += per_word_) {
      const std::size_t size = std::min(per_word_, count - begin);
      const std::size_t taken = size == per_word_ ? sizeof(std::uint64_t) : bytes_of_last(size);
      std::uint64_t word = 0;
      for (std::size_t b = 0; b < taken; ++b) word |= std::to_integer<std::uint64_t>(bytes[b]) << 8 * b;
      for (std::size_t j = 0; j < size; ++j, word /= k_) take(begin + j, word % k_);
      if (word != 0) return false;
      bytes = bytes.subspan(taken);
    }
    return true;
  }

 private:
  std::size_t bytes_of_last(std::size_t digits) const {
    std::uint64_t largest = 0;
    for (std::size_t j = 0; j < digits; ++j) largest = largest * k_ + (k_ - 1);
    return (static_cast<std::size_t>(std::bit_width(largest)) + 7) / 8;
  }

  std::uint64_t k_;
  std::size_t per_word_ = 0;
  std::uint64_t largest_ = 0;  // k^per_word - 1
};

}  // namespace hearsay
