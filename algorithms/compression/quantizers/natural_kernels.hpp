#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/compression/quantizers/natural_code.hpp"

namespace hearsay {

// NaturalCode<float> over many coordinates, with the widest vectors that the machine has (chosen at run
// time). Every instruction set gives the same bytes and floats.

/// Encodes z, whose first element has index `first` in the vector. Writes the low byte of each code to
/// `codes` and, without a window, the signs to `signs`, one bit each, beginning at a byte. Returns the
/// largest magnitude; if it is above code.largest(), the bytes written are no message.
std::uint32_t natural_encode_fast(std::span<const float> z, const NaturalCode<float>& code, ElementKey key,
                                  std::uint32_t first, std::byte* codes, std::byte* signs);

/// into += scale * decoded. All codes must be numbers.
void natural_accumulate_fast(const std::byte* codes, const std::byte* signs, const NaturalCode<float>& code,
                             float scale, std::span<float> into);

}  // namespace hearsay
