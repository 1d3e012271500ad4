#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

// Signs of many floats, with the widest vectors that the machine has (chosen at run time): the same bytes and
// the same numbers on every target.

/// Bit i mod 8 of byte i / 8 of `signs` becomes 1 where z_i < 0, the bits after the last 0; signs.size() is
/// the fewest bytes. Returns norm_1(z), to the last bit.
double sign_encode_fast(std::span<const float> z, std::span<std::byte> signs);

/// into_i += scale * (+-magnitude), minus where the bit is 1.
void sign_accumulate_fast(std::span<const std::byte> signs, float magnitude, float scale,
                          std::span<float> into);

}  // namespace hearsay
