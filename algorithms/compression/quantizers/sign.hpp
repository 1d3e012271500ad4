#pragma once

#include "algorithms/compression/quantizers/fused_compressor.hpp"
#include "algorithms/compression/quantizers/sign_quantizer.hpp"

namespace hearsay {

/// sign | raw for floats (sign_quantizer.hpp): the same message, with each bucket read once for its signs and
/// its norm.
///
/// Failure    `encode_and_apply` applies neither the bucket at fault nor those after it.
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
