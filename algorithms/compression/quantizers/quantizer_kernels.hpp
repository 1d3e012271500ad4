#pragma once

#include <cstdint>
#include <span>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

// The loops of quantizers over floats, with the widest vectors that the machine has (chosen at run time).
// Every instruction set gives the same codes and floats as the plain arithmetic in nearest.cpp, grid.cpp and
// bf16.cpp.

/// codes = the whole numbers nearest to z / step in double, ties to even, clipped to [-levels, levels]. z is
/// finite, step > 0.
void nearest_codes_fast(std::span<const float> z, float step, std::int32_t levels,
                        std::span<std::int32_t> codes);

/// codes = floor(z / step + u) in double; u is from the hash of index first + k for element k. False if some
/// |z / step| is not below `largest_ratio`, which is at most 2^31 - 1; the codes are then arbitrary.
bool grid_codes_fast(std::span<const float> z, double step, double largest_ratio, ElementKey key,
                     std::uint32_t first, std::span<std::int32_t> codes);

/// values = code * step in double, rounded to float. False if one of them is beyond the range of float.
bool grid_values_fast(std::span<const std::int32_t> codes, double step, std::span<float> values);

/// Rounds to bfloat16: at random, with the hash of index first + k for element k, or to the nearest, ties to
/// even. False if some |z| is NaN or above the largest bfloat16; the codes are then arbitrary.
bool bf16_codes_fast(std::span<const float> z, bool nearest, ElementKey key, std::uint32_t first,
                     std::span<std::int32_t> codes);

/// The values of bfloat16 codes. False if one of them is Inf or NaN; the values are then arbitrary.
bool bf16_values_fast(std::span<const std::int32_t> codes, std::span<float> values);

}  // namespace hearsay
