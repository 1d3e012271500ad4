#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hearsay {

// Places of codes of a fixed width in bytes. Where `bits` divides 8, byte j holds, low bits first, the codes of the elements
// j, j + m, j + 2m, ... with m the number of bytes: neighbors lie in neighboring bytes, so that a vector unit packs them
// without a shuffle. Other widths, up to 24, form one little-endian stream of bits. Unused bits are 0.

inline std::size_t place_bytes(std::size_t count, unsigned bits) { return (count * bits + 7) / 8; }

inline std::uint32_t read_place(std::span<const std::byte> bytes, unsigned bits, std::size_t index) {
  const std::uint32_t mask = (1u << bits) - 1;
  if (8 % bits == 0)
    return std::to_integer<std::uint32_t>(bytes[index % bytes.size()]) >> (index / bytes.size() * bits) &
           mask;
  const std::size_t bit = index * bits;
  std::uint32_t word = 0;
  for (std::size_t byte = bit / 8, shift = 0; byte < bytes.size() && shift < 32; ++byte, shift += 8)
    word |= std::to_integer<std::uint32_t>(bytes[byte]) << shift;
  return word >> (bit % 8) & mask;
}

/// The place must hold zeros; `word` is below 2^bits.
inline void write_place(std::span<std::byte> bytes, unsigned bits, std::size_t index, std::uint32_t word) {
  if (8 % bits == 0) {
    bytes[index % bytes.size()] |= static_cast<std::byte>(word << (index / bytes.size() * bits));
    return;
  }
  const std::size_t bit = index * bits;
  const std::uint32_t shifted = word << (bit % 8);
  for (std::size_t byte = bit / 8, shift = 0; shift < 32 && shifted >> shift != 0; ++byte, shift += 8)
    bytes[byte] |= static_cast<std::byte>(shifted >> shift);
}

/// True where the bits after the last of `count` places are 0.
inline bool unused_places_are_zero(std::span<const std::byte> bytes, unsigned bits, std::size_t count) {
  if (8 % bits == 0) {
    for (std::size_t index = count; index < bytes.size() * (8 / bits); ++index)
      if (read_place(bytes, bits, index) != 0) return false;
    return true;
  }
  return count * bits % 8 == 0 || std::to_integer<unsigned>(bytes.back()) >> (count * bits % 8) == 0;
}

}  // namespace hearsay
