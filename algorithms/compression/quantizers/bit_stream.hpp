#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/compression/quantizers/places.hpp"

namespace hearsay {

// The little-endian stream of bits of places.hpp, eight codes at a time, with the widest vectors that the
// machine has (chosen at run time). Eight codes of b bits are b bytes. Codes are of 1 to 8 bits, one in each
// byte.

/// The most codes of a call: their bytes stay in the first-level cache. A multiple of 64.
constexpr std::size_t codes_in_block = 512;

/// Writes the codes, which are below 2^bits. `stream` has place_bytes(codes.size(), bits) bytes.
void pack_stream(std::span<const std::uint8_t> codes, unsigned bits, std::span<std::byte> stream);

/// Reads as many codes as `codes` has from place_bytes(codes.size(), bits) bytes.
void unpack_stream(std::span<const std::byte> stream, unsigned bits, std::span<std::uint8_t> codes);

/// Calls visit(begin, size, part) for each block of `count` codes: `part` are the bytes of the stream that
/// hold the `size` codes from number `begin` on.
template <class Byte, class Visit>
void for_each_block(std::span<Byte> stream, std::size_t count, unsigned bits, const Visit& visit) {
  for (std::size_t begin = 0; begin < count; begin += codes_in_block) {
    const std::size_t size = std::min(codes_in_block, count - begin);
    visit(begin, size, stream.subspan(begin * bits / 8, place_bytes(size, bits)));
  }
}

}  // namespace hearsay
