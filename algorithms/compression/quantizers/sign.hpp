#pragma once

#include "algorithms/compression/quantizers/fused_compressor.hpp"
#include "algorithms/compression/quantizers/sign_quantizer.hpp"

namespace hearsay {

/// sign | raw of floats (sign_quantizer.hpp): the same message, each bucket read once for its signs and its
/// norm.
///
/// Failure    `encode_and_apply` leaves the bucket at fault and those after it unapplied.
class Sign final : public FusedCompressor<float, SignQuantizer> {
 public:
  using FusedCompressor::FusedCompressor;

  CodecStatus accumulate(std::span<const std::byte> packet, float scale, std::span<float> into) override;

 private:
  std::size_t message_bytes(std::size_t dimension) const override;
  CodecStatus sweep(std::span<const float> z, ElementKey key, std::span<std::byte> bytes,
                    std::span<float> into) override;
};

}  // namespace hearsay
