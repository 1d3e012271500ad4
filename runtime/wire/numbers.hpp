#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/foundation/little_endian.hpp"

namespace hearsay {

// A list of numbers as a payload: u64 each.

inline std::vector<std::byte> encode_numbers(std::span<const std::uint64_t> numbers) {
  std::vector<std::byte> payload(8 * numbers.size());
  for (std::size_t k = 0; k < numbers.size(); ++k)
    store_little_endian(numbers[k], std::span(payload).subspan(8 * k, 8));
  return payload;
}

/// Returns the numbers in any payload; bytes after the last whole number are ignored.
inline std::vector<std::uint64_t> decode_numbers(std::span<const std::byte> payload) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t at = 0; at + 8 <= payload.size(); at += 8)
    numbers.push_back(load_little_endian<std::uint64_t>(payload.subspan(at, 8)));
  return numbers;
}

}  // namespace hearsay
