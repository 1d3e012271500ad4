#include "algorithms/compression/quantizers/sign.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/quantizers/places.hpp"
#include "algorithms/compression/quantizers/sign_kernels.hpp"
#include "algorithms/compression/seam/scale_status.hpp"

namespace hearsay {

std::size_t Sign::message_bytes(std::size_t dimension) const {
  std::size_t bytes = quantizer().header_bytes(dimension);
  buckets().for_each(dimension,
                     [&](std::size_t, std::size_t, std::size_t size) { bytes += place_bytes(size, 1); });
  return bytes;
}

CodecStatus Sign::sweep(std::span<const float> z, ElementKey /*key*/, std::span<std::byte> scales,
                        std::span<float> into) {
  auto signs = scales.subspan(quantizer().header_bytes(z.size()));
  CodecStatus status = CodecStatus::ok;
  buckets().for_each(z.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto bucket_signs = signs.first(place_bytes(size, 1));
    signs = signs.subspan(bucket_signs.size());
    const double norm = sign_encode_fast(z.subspan(begin, size), bucket_signs);
    // A sum of float magnitudes in double is finite exactly if all of them are.
    const auto scale = std::isfinite(norm) ? static_cast<float>(norm / static_cast<double>(size))
                                           : std::numeric_limits<float>::quiet_NaN();
    write_scalar(scales, bucket, scale);
    if (std::isnan(scale)) {
      std::ranges::fill(bucket_signs, std::byte{0});
      status = CodecStatus::not_finite;
    }
    if (!into.empty() && status == CodecStatus::ok)
      sign_accumulate_fast(bucket_signs, scale, 1.0f, into.subspan(begin, size));
  });
  return status;
}

CodecStatus Sign::accumulate(std::span<const std::byte> packet, float scale, std::span<float> into) {
  if (packet.size() != message_bytes(into.size())) return CodecStatus::malformed;
  const auto all_signs = packet.subspan(quantizer().header_bytes(into.size()));
  auto signs = all_signs;
  CodecStatus status = CodecStatus::ok;
  buckets().for_each(into.size(), [&](std::size_t bucket, std::size_t, std::size_t size) {
    const auto bucket_signs = signs.first(place_bytes(size, 1));
    signs = signs.subspan(bucket_signs.size());
    if (!unused_places_are_zero(bucket_signs, 1, size)) status = CodecStatus::malformed;
    status = worse(status, status_of_scale(read_scalar<float>(packet, bucket)));
  });
  if (status != CodecStatus::ok) return status;
  signs = all_signs;
  buckets().for_each(into.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto bucket_signs = signs.first(place_bytes(size, 1));
    signs = signs.subspan(bucket_signs.size());
    sign_accumulate_fast(bucket_signs, read_scalar<float>(packet, bucket), scale, into.subspan(begin, size));
  });
  return CodecStatus::ok;
}

}  // namespace hearsay
