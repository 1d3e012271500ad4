#pragma once

#include <concepts>
#include <cstddef>
#include <span>

namespace hearsay {

/// Writes `number`, least significant byte first, to the first sizeof(Number) bytes of `out`, which is at
/// least that long.
template <std::unsigned_integral Number>
void store_little_endian(Number number, std::span<std::byte> out) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) out[i] = static_cast<std::byte>(number >> (8 * i) & 0xff);
}

/// Returns the number in the first sizeof(Number) bytes of `bytes`, which is at least that long.
template <std::unsigned_integral Number>
Number load_little_endian(std::span<const std::byte> bytes) {
  Number number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    number = static_cast<Number>(number | static_cast<Number>(bytes[i]) << (8 * i));
  return number;
}

}  // namespace hearsay
