#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hearsay {

// Packing and unpacking of all places of places.hpp at once, with the widest vectors that the machine has
// (chosen at run time).

/// Writes the low `bits` bits of the difference (code - zero) for every code. `bytes` has
/// place_bytes(codes.size(), bits) bytes.
void pack_places(std::span<const std::int32_t> codes, std::int32_t zero, unsigned bits,
                 std::span<std::byte> bytes);

/// Reads the words back, without adding `zero`: below 2^bits or, if `twos_complement`, of either sign.
void unpack_places(std::span<const std::byte> bytes, unsigned bits, bool twos_complement,
                   std::span<std::int32_t> words);

/// The least and the largest of some numbers.
struct LeastAndMost {
  std::int32_t least;
  std::int32_t most;
};

/// Of `numbers`, which are not none.
LeastAndMost least_and_most(std::span<const std::int32_t> numbers);

}  // namespace hearsay
