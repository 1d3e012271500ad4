#pragma once

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// No compression: C(z) = z, d scalars little-endian, sizeof(Scalar) d bytes. none(bf16) is the compressor
/// bf16, two bytes a coordinate, under the name by which it is looked for.
template <class Scalar>
class None final : public Compressor<Scalar> {
 public:
  static std::unique_ptr<Compressor<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  std::string spelling() const override { return "none"; }
  Traits traits(std::size_t dimension) const override;
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;
};

extern template class None<float>;
extern template class None<double>;

}  // namespace hearsay
