#pragma once

#include <vector>

#include "algorithms/compression/compressor.hpp"
#include "algorithms/compression/selection.hpp"

namespace hearsay {

/// Top-k: the k coordinates of largest magnitude, the others 0. Biased and contractive:
/// ||C(z) - z||^2 <= (1 - k/d) ||z||^2 for every z. For methods with error feedback.
///
/// Selection  exact; among equal magnitudes at the border the lowest indices are kept, so that the message
///            is a function of z alone. Cost: one sweep per 11 bits of Scalar (3 for float), no comparisons.
/// Message    k indices (uint32, ascending), then their k values (Scalar): k (4 + sizeof(Scalar)) bytes.
/// Failure    Inf or NaN anywhere in z: `not_finite`, and a message of NaNs.
template <class Scalar>
class TopK final : public Compressor<Scalar> {
 public:
  static std::unique_ptr<Compressor<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  explicit TopK(SelectionSize size) : size_(size) {}

  std::string spelling() const override { return "topk(" + size_.spelling() + ")"; }
  Traits traits(std::size_t dimension) const override;
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;

 private:
  SelectionSize size_;
};

extern template class TopK<float>;
extern template class TopK<double>;

}  // namespace hearsay
