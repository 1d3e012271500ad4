#pragma once

#include <cstdint>
#include <span>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

/// The loops of quantizers over floats, with the widest vectors that the machine has (chosen at run time). On
/// every target they give the same codes and floats as the plain arithmetic in nearest.cpp, grid.cpp and
/// bf16.cpp.

/// The whole number nearest to z / step in double, ties to even, at most `levels` from 0. Finite z, step > 0.
void nearest_codes_fast(std::span<const float> z, float step, std::int32_t levels,
                        std::span<std::int32_t> codes);

/// codes = floor(z / step + u) in double; element k has index first + k. False, and codes are arbitrary, if a
/// |z / step| is not below `largest_ratio`, which is at most 2^31 - 1.
bool grid_codes_fast(std::span<const float> z, double step, double largest_ratio, ElementKey key,
                     std::uint32_t first, std::span<std::int32_t> codes);

/// q step in double, rounded to float.
void grid_values_fast(std::span<const std::int32_t> codes, double step, std::span<float> values);

/// Rounds to bfloat16: at random, element k with index first + k, or to the nearest, ties to even. False, and
/// codes are arbitrary, if a |z| is above the largest bfloat16 or NaN.
bool bf16_codes_fast(std::span<const float> z, bool nearest, ElementKey key, std::uint32_t first,
                     std::span<std::int32_t> codes);

/// The values of codes of 16 bits. False, and values are arbitrary, if one is Inf or NaN.
bool bf16_values_fast(std::span<const std::int32_t> codes, std::span<float> values);

}  // namespace hearsay
