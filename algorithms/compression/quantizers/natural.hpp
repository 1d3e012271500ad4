#pragma once

#include "algorithms/compression/quantizers/natural_quantizer.hpp"

namespace hearsay {

/// natural | raw of floats in one sweep (natural_quantizer.hpp): the same message, a tile at a time.
///
/// Failure    `encode_and_apply` leaves the tile at fault and those after it unapplied.
class Natural final : public RoundingCompressor<float> {
 public:
  explicit Natural(NaturalQuantizer<float> quantizer) : quantizer_(std::move(quantizer)) {}

  std::string spelling() const override { return quantizer_.spelling(); }
  Traits traits(std::size_t dimension) const override;
  CodecStatus encode(const EncodeInput<float>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<float>& input, PacketBuffer& out,
                               std::span<float> into) override;
  CodecStatus accumulate(std::span<const std::byte> packet, float scale, std::span<float> into) override;
  std::vector<Bracket> brackets(std::span<const float> vector) const override {
    return quantizer_.brackets(vector);
  }

 private:
  CodecStatus encode_sweep(const EncodeInput<float>& input, PacketBuffer& out, std::span<float> into);
  std::size_t message_bytes(std::size_t dimension) const;
  const NaturalCode<float>& code() const { return quantizer_.code(); }

  NaturalQuantizer<float> quantizer_;
};

}  // namespace hearsay
