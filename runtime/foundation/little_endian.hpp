#pragma once

#include <concepts>
#include <cstddef>
#include <span>

namespace hearsay {

/// Writes an unsigned number, least significant byte first, at the beginning of `out` (which has room for
/// it).
template <std::unsigned_integral Number>
void store_little_endian(Number number, std::span<std::byte> out) {
  for (std::size_t i = 0; i < sizeof(Number); ++i) out[i] = static_cast<std::byte>(number >> (8 * i) & 0xff);
}

/// The unsigned number at the beginning of `bytes` (which hold at least as many as it has).
template <std::unsigned_integral Number>
Number load_little_endian(std::span<const std::byte> bytes) {
  Number number = 0;
  for (std::size_t i = 0; i < sizeof(Number); ++i)
    number = static_cast<Number>(number | static_cast<Number>(bytes[i]) << (8 * i));
  return number;
}

}  // namespace hearsay
