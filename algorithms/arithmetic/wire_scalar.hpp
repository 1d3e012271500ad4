#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>

namespace hearsay {

static_assert(std::endian::native == std::endian::little, "messages are little-endian and are not swapped");

/// Entry `index` of an array of numbers that begins at any address, aligned or not.
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

}  // namespace hearsay
