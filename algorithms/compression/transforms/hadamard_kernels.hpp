#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

// The vectorized forms of hadamard.hpp for float; the same bits, instruction set by instruction set (tested).

/// Blocks from 128 on: eight vectors of 16 lanes.
bool has_hadamard_kernel(std::size_t n);

/// x = scale H' D from, H' unscaled; without signs where `key` is null. `from` has x.size() entries and is either x or apart.
void hadamard_fast(const float* from, std::span<float> x, float scale, const ElementKey* key,
                   std::uint32_t first);

/// out_i = from_i with the sign of element first + i.
void flip_signs_fast(const float* from, ElementKey key, std::uint32_t first, std::span<float> out);

}  // namespace hearsay
