#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

// The vectorized forms of hadamard.hpp for float, with the same bits on every instruction set (tested).

/// True for blocks of 128 numbers or more: eight vectors of 16 lanes.
bool has_hadamard_kernel(std::size_t n);

/// x = scale H' D from, H' unscaled; without signs if `key` is null. `from` has x.size() entries and is
/// either x or does not overlap it.
void hadamard_fast(const float* from, std::span<float> x, float scale, const ElementKey* key,
                   std::uint32_t first);

/// out_i = from_i with the sign of element first + i.
void flip_signs_fast(const float* from, ElementKey key, std::uint32_t first, std::span<float> out);

}  // namespace hearsay
