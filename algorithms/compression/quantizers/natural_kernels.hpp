#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/compression/quantizers/natural_code.hpp"

namespace hearsay {

// NaturalCode<float> over many coordinates, with the widest vectors that the machine has (chosen at run
// time): the same bytes and the same floats on every target.

/// Writes the low byte of each code to `codes` and, without a window, the signs to `signs`, a bit each,
/// beginning at a byte. The first element has the index `first` in the vector. The largest magnitude as a
/// word: where it is above code.largest() what was written is no message.
std::uint32_t natural_encode_fast(std::span<const float> z, const NaturalCode<float>& code, ElementKey key,
                                  std::uint32_t first, std::byte* codes, std::byte* signs);

/// into += scale * decoded, of codes that are numbers.
void natural_accumulate_fast(const std::byte* codes, const std::byte* signs, const NaturalCode<float>& code,
                             float scale, std::span<float> into);

}  // namespace hearsay
