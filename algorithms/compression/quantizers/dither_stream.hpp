#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "algorithms/compression/quantizers/dither_bucket.hpp"

namespace hearsay {

// The kernels of dither_kernels.hpp for codes of 3, 5, 6 and 7 bits, which lie in a stream of bits. Codes go
// there and come from there through one byte each, some hundred at a time.

/// As encode_bucket.
void encode_stream(const DitherBucket<float>& bucket, const DitherCode& code, ElementKey key);

/// As accumulate_bucket.
void accumulate_stream(std::span<const std::byte> stream, const DitherCode& code, float step, float scale,
                       std::span<float> into);

/// True if every code of the bucket is in [-levels, levels].
bool stream_in_range(std::span<const std::byte> stream, const DitherCode& code, std::size_t size);

}  // namespace hearsay
