#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hearsay {

// The places of codes of a fixed width, 1 to 24 bits, in the bytes of a message; unused bits are 0.
//
//   2, 4 and 8 bits   byte j holds, low bits first, the codes of the elements j, j + m, j + 2m, ..., m the
//                     number of bytes. Neighboring elements lie in neighboring bytes, so a vector unit packs
//                     them without a shuffle
//   1, 3, 5, 6, 7     one little-endian stream of bits (1 bit: element i is bit i mod 8 of byte i / 8, as
//                     vector units write their masks)
//   above 8 bits      the low bytes of all codes, one byte each; then the upper bits of the codes, as codes
//                     of bits - 8

inline std::size_t place_bytes(std::size_t count, unsigned bits) { return (count * bits + 7) / 8; }

/// True if neighboring elements lie in neighboring bytes.
inline bool has_planes(unsigned bits) { return bits == 2 || bits == 4 || bits == 8; }

inline std::uint32_t read_place(std::span<const std::byte> bytes, unsigned bits, std::size_t index) {
  std::uint32_t low = 0;
  unsigned shift = 0;
  for (const std::size_t count = bits > 8 ? bytes.size() * 8 / bits : 0; bits > 8; bits -= 8, shift += 8) {
    low |= std::to_integer<std::uint32_t>(bytes[index]) << shift;
    bytes = bytes.subspan(count);
  }
  const std::uint32_t mask = (1u << bits) - 1;
  if (has_planes(bits)) {
    const auto byte = std::to_integer<std::uint32_t>(bytes[index % bytes.size()]);
    return low | (byte >> (index / bytes.size() * bits) & mask) << shift;
  }
  const std::size_t bit = index * bits;
  auto word = std::to_integer<std::uint32_t>(bytes[bit / 8]);
  if (bit % 8 + bits > 8) word |= std::to_integer<std::uint32_t>(bytes[bit / 8 + 1]) << 8;
  return low | (word >> (bit % 8) & mask) << shift;
}

/// Writes `word`, which is below 2^bits, to a place that holds zeros.
inline void write_place(std::span<std::byte> bytes, unsigned bits, std::size_t index, std::uint32_t word) {
  for (const std::size_t count = bits > 8 ? bytes.size() * 8 / bits : 0; bits > 8; bits -= 8, word >>= 8) {
    bytes[index] = static_cast<std::byte>(word);
    bytes = bytes.subspan(count);
  }
  if (has_planes(bits)) {
    bytes[index % bytes.size()] |= static_cast<std::byte>(word << (index / bytes.size() * bits));
    return;
  }
  const std::size_t bit = index * bits;
  const std::uint32_t shifted = word << (bit % 8);
  bytes[bit / 8] |= static_cast<std::byte>(shifted);
  if (shifted > 0xFF) bytes[bit / 8 + 1] |= static_cast<std::byte>(shifted >> 8);
}

/// True if all bits that belong to none of the `count` places are 0.
inline bool unused_places_are_zero(std::span<const std::byte> bytes, unsigned bits, std::size_t count) {
  for (; bits > 8; bits -= 8) bytes = bytes.subspan(count);
  if (has_planes(bits)) {
    for (std::size_t index = count; index < bytes.size() * (8 / bits); ++index)
      if (read_place(bytes, bits, index) != 0) return false;
    return true;
  }
  return count * bits % 8 == 0 || std::to_integer<unsigned>(bytes.back()) >> (count * bits % 8) == 0;
}

}  // namespace hearsay
