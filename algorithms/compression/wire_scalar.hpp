#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>

namespace hearsay {

static_assert(std::endian::native == std::endian::little, "messages are little-endian and are not swapped");

/// Entry `index` of an array of numbers that begins anywhere, aligned or not.
template <class Number>
Number read_scalar(std::span<const std::byte> bytes, std::size_t index) {
  Number value;
  std::memcpy(&value, bytes.data() + index * sizeof(Number), sizeof(Number));
  return value;
}

template <class Number>
void write_scalar(std::span<std::byte> bytes, std::size_t index, Number value) {
  std::memcpy(bytes.data() + index * sizeof(Number), &value, sizeof(Number));
}

/// True where none of the scalars in `bytes` is Inf or NaN.
template <class Scalar>
bool scalars_finite(std::span<const std::byte> bytes) {
  using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<Scalar>::infinity());
  // One tile at a time: within a tile no branch (vectorises), between tiles an early exit.
  constexpr std::size_t tile = 4096;
  const std::size_t count = bytes.size() / sizeof(Scalar);
  for (std::size_t begin = 0; begin < count; begin += tile) {
    const std::size_t end = begin + tile < count ? begin + tile : count;
    Bits found = 0;
    for (std::size_t i = begin; i < end; ++i)
      found |= static_cast<Bits>((read_scalar<Bits>(bytes, i) & infinity) == infinity);
    if (found) return false;
  }
  return true;
}

}  // namespace hearsay
