#pragma once

#include "algorithms/compression/quantizers/fused_compressor.hpp"
#include "algorithms/compression/quantizers/natural_quantizer.hpp"

namespace hearsay {

/// natural | raw for floats in one sweep (natural_quantizer.hpp): the same message, computed a tile at a
/// time.
///
/// Failure    `encode_and_apply` applies neither the tile at fault nor those after it.
class Natural final : public FusedCompressor<float, NaturalQuantizer> {
 public:
  using FusedCompressor::FusedCompressor;

  CodecStatus accumulate(std::span<const std::byte> packet, float scale, std::span<float> into) override;

 private:
  std::size_t message_bytes(std::size_t dimension) const override;
  CodecStatus sweep(std::span<const float> z, ElementKey key, std::span<std::byte> bytes,
                    std::span<float> into) override;
  const NaturalCode<float>& code() const { return quantizer().code(); }
};

}  // namespace hearsay
