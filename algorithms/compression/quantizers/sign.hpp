#pragma once

#include "algorithms/compression/quantizers/sign_quantizer.hpp"

namespace hearsay {

/// sign | raw of floats (sign_quantizer.hpp): the same message, each bucket read once for its signs and its norm.
///
/// Failure    `encode_and_apply` leaves the bucket at fault and those after it unapplied.
class Sign final : public RoundingCompressor<float> {
 public:
  explicit Sign(SignQuantizer<float> quantizer) : quantizer_(std::move(quantizer)) {}

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
  const Buckets& buckets() const { return quantizer_.buckets(); }

  SignQuantizer<float> quantizer_;
};

}  // namespace hearsay
