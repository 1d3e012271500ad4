#pragma once

#include "algorithms/compression/seam/quantizer.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// One magnitude for all values, and the sign or zero of each.
///
///   C(v)_i = sign(v_i) scale,   sign(0) = 0
///
///   scale = the one that the selector suggests (adacomp: the mean of the largest magnitudes of its bins),
///           else the mean magnitude of the values that are not 0, which leaves the least error
///
/// Deterministic and biased. With its own scale, and m values that are not 0, it loses 1 - ||v||_1^2 / (m
/// ||v||_2^2) of the square of the norm: delta >= 1/n for n values. A suggested scale may exceed every value,
/// and then nothing is known about the error. So a selector that suggests one states no contraction. For
/// methods with error feedback.
///
/// Message    the scale (Scalar), if there is a value; the codes -1, 0, 1, by the coder trit5 (five to a
///            byte) unless another is spelled.
/// Failure    Inf or NaN among the values: the scale is NaN. `saturated` if a suggested scale is beyond
///            the range of Scalar: it is Inf. Either decodes as `not_finite`.
/// Source     Chen et al. 2018 (AdaComp, arXiv:1712.02679), the quantizer of its selected residues.
template <class Scalar>
class Ternary final : public Quantizer<Scalar> {
 public:
  static std::unique_ptr<Quantizer<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  Ternary() : whole_(Buckets::whole()) {}

  std::string spelling() const override { return "ternary"; }
  Traits traits(std::size_t n) const override;
  CodeRange range() const override { return {-1, 1}; }
  std::string default_coder() const override { return "trit5"; }
  const Buckets& buckets() const override { return whole_; }
  std::size_t header_bytes(std::size_t n) const override { return n > 0 ? sizeof(Scalar) : 0; }
  CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                       std::span<std::byte> header, std::span<std::int32_t> codes) const override;
  CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                          std::span<Scalar> values) const override;
  /// The brackets with its own scale.
  std::vector<Bracket> brackets(std::span<const Scalar> values) const override;

 private:
  Buckets whole_;
};

extern template class Ternary<float>;
extern template class Ternary<double>;

}  // namespace hearsay
