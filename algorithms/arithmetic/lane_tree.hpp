#pragma once

#include <array>
#include <cstddef>

namespace hearsay {

/// Number of lanes of the sums of reductions.hpp. Lane k adds up the terms k, k + 16, k + 32, ..., in this
/// order.
constexpr std::size_t lane_count = 16;

/// Returns the sum of the lanes, folded in halves: 8 onto 8, 4 onto 4, 2 onto 2, 1 onto 1.
inline double folded(std::array<double, lane_count> lanes) {
  for (std::size_t width = lane_count / 2; width > 0; width /= 2)
    for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  return lanes[0];
}

}  // namespace hearsay
