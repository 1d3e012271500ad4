#pragma once

#include <cmath>
#include <cstdint>

namespace hearsay {

/// The position of z / step between two integers: the code is whole + 1 with probability `fraction`, else
/// whole.
struct GridPosition {
  std::int64_t whole;
  double fraction;

  /// Returns the code for 32 random bits u: u 2^-32 is uniform on the multiples of 2^-32 in [0, 1).
  std::int64_t rounded(std::uint32_t u) const { return whole + (u * 0x1p-32 < fraction); }
  /// Returns the exact probability of whole + 1 over all u. It is `fraction` rounded up to 32 bits, so the
  /// mean is off by at most 2^-32 of a step.
  double probability_up() const { return std::ceil(fraction * 0x1p32) * 0x1p-32; }
};

/// Returns the position of `ratio`, |ratio| < 2^62. `fraction` is exact.
inline GridPosition grid_position(double ratio) {
  auto whole = static_cast<std::int64_t>(ratio);
  whole -= static_cast<double>(whole) > ratio;
  return {whole, ratio - static_cast<double>(whole)};
}

}  // namespace hearsay
