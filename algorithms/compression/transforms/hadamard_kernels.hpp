#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

// The vectorized forms of hadamard.hpp for float. Every instruction set gives the same bits (tested).

/// True if n is a power of two of at least 128: eight vectors of 16 lanes.
bool has_hadamard_kernel(std::size_t n);

/// x = H' D (scale from), with H' the unscaled matrix; without the signs D if `key` is null. `from` has
/// x.size() entries and either is x.data() or does not overlap x.
void hadamard_fast(const float* from, std::span<float> x, float scale, const ElementKey* key,
                   std::uint32_t first);

/// out_i = from_i times the sign of element first + i.
void flip_signs_fast(const float* from, ElementKey key, std::uint32_t first, std::span<float> out);

}  // namespace hearsay
