#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/compression/quantizers/dither_bucket.hpp"
#include "algorithms/compression/quantizers/places.hpp"

namespace hearsay {

// The functions of dither_bucket.hpp for float, with the widest vectors that the machine has (chosen at run
// time). Every instruction set gives the same bytes and floats as the plain functions.

/// True if the kernels below take the code: at most 8 bits, and levels that are not listed.
inline bool has_dither_kernel(const DitherCode& code) {
  return code.bits <= 8 && code.spacing != LevelSpacing::listed;
}

/// The number of floats in a batch of buckets. A batch is swept once for the norms and once for the codes,
/// and is small enough to stay in the first-level cache in between. The second sweep prefetches this many
/// floats ahead.
constexpr std::size_t dither_batch_floats = 2048;

/// The largest |z_i|; NaN if a coordinate is Inf or NaN.
float largest_magnitude(std::span<const float> z);

/// The largest |z_i| of each bucket; NaN if a coordinate of the bucket is Inf or NaN.
void largest_magnitudes(std::span<const DitherBucket<float>> buckets, std::span<float> largest);

/// encode_bucket for each bucket. All steps have lift 1.
void encode_buckets_fast(std::span<const DitherBucket<float>> buckets, const DitherCode& code,
                         ElementKey key);

/// random_code of each element of a bucket; z[0] has index `first` in the vector, and the step has lift 1.
void dither_codes_fast(std::span<const float> z, std::uint32_t first, const DitherStep<float>& step,
                       const DitherCode& code, ElementKey key, std::span<std::int32_t> codes);

/// As accumulate_bucket.
void accumulate_bucket_fast(std::span<const std::byte> bytes, const DitherCode& code, float step, float scale,
                            std::span<float> into);

/// As bucket_valid.
bool bucket_valid_fast(std::span<const std::byte> bytes, const DitherCode& code, std::size_t size);

}  // namespace hearsay
