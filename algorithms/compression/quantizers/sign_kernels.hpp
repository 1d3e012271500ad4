#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

// Signs of many floats, with the widest vectors that the machine has (chosen at run time). Every instruction
// set gives the same bytes and numbers.

/// Sets bit i mod 8 of byte i / 8 of `signs` if z_i < 0 and clears all others; `signs` has ceil(n / 8) bytes.
/// Returns norm_1(z), to the last bit.
double sign_encode_fast(std::span<const float> z, std::span<std::byte> signs);

/// into_i += scale * (+-magnitude), with minus if bit i is 1.
void sign_accumulate_fast(std::span<const std::byte> signs, float magnitude, float scale,
                          std::span<float> into);

}  // namespace hearsay
