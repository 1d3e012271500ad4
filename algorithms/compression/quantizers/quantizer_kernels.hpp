#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

// The loops of quantizers over floats, with the widest vectors that the machine has (chosen at run time).
// Every instruction set gives the same codes and floats as the plain arithmetic in nearest.cpp, grid.cpp,
// logarithm.cpp and bf16.cpp.

/// codes = the whole numbers nearest to z / step in double, ties to even, clipped to [-levels, levels]. z is
/// finite, step > 0.
void nearest_codes_fast(std::span<const float> z, float step, std::int32_t levels,
                        std::span<std::int32_t> codes);

/// codes = floor(z / step + u) in double; u is from the hash of index first + k for element k. False if some
/// |z / step| is not below `largest_ratio`, which is at most 2^31 - 1; the codes are then arbitrary.
bool grid_codes_fast(std::span<const float> z, double step, double largest_ratio, ElementKey key,
                     std::uint32_t first, std::span<std::int32_t> codes);

/// What log_codes_fast knows of a scale of 63 levels below the largest magnitude, level k being b^-k of it.
struct LogBorders {
  /// The largest magnitude (magnitudes.hpp) nearer to level k + 1 than to level k, or just between; behind
  /// the last level, to 0. Descending, and none below that of the least normal float.
  std::array<std::int32_t, 63> nearer_to_next;
  std::int32_t largest;  ///< the magnitude of level 0
  float base;            ///< b, at least least_log_base
};

/// From this base on at most one level is between two guesses from the bits of a float.
constexpr float least_log_base = 1.2f;

/// codes = sign(z) (k + 1), k the nearest level; 0 behind the last one. No |z| is above the largest.
void log_codes_fast(std::span<const float> z, const LogBorders& borders, std::span<std::int32_t> codes);

/// values = code * step in double, rounded to float. False if one of them is beyond the range of float.
bool grid_values_fast(std::span<const std::int32_t> codes, double step, std::span<float> values);

/// Rounds to bfloat16: at random, with the hash of index first + k for element k, or to the nearest, ties to
/// even. False if some |z| is NaN or above the largest bfloat16; the codes are then arbitrary.
bool bf16_codes_fast(std::span<const float> z, bool nearest, ElementKey key, std::uint32_t first,
                     std::span<std::int32_t> codes);

/// The values of bfloat16 codes. False if one of them is Inf or NaN; the values are then arbitrary.
bool bf16_values_fast(std::span<const std::int32_t> codes, std::span<float> values);

}  // namespace hearsay
