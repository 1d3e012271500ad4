#pragma once

#include "algorithms/compression/seam/quantizer.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Scaled sign: the sign of every coordinate, times the mean magnitude of its bucket z in R^n.
///
///   C(z)_i = sign(z_i) ||z||_1 / n,    sign(0) = sign(-0) = +1
///
/// Buckets are the layers unless spelled otherwise; after a selector or a transform that mixes, the default
/// is one bucket.
///
/// This scale leaves the least error: ||C(z) - z||^2 = (1 - delta) ||z||^2 with delta = ||z||_1^2 / (n
/// ||z||_2^2). delta is 2 / pi for Gaussian z, and at least 1/n, reached if only one coordinate is not 0.
/// Deterministic and biased: for methods with error feedback.
///
/// Message    the scales of all buckets (Scalar each), then a bit for each coordinate, 1 for minus, each
///            bucket beginning at a byte: 1 bit per coordinate and sizeof(Scalar) per bucket.
/// Scale      the sum is taken in double in the lanes of algorithms/arithmetic/reductions.hpp, the scale then
///            rounded to Scalar.
/// Failure    Inf or NaN in a bucket: its scale is NaN and the message decodes as `not_finite`. Never
///            saturated.
/// Source     Karimireddy, Rebjock, Stich, Jaggi 2019 (arXiv:1901.09847), the compressor of EF-SIGNSGD.
/// Departs    sign(0) = +1, so that one bit holds it.
template <class Scalar>
class SignQuantizer final : public Quantizer<Scalar> {
 public:
  static std::unique_ptr<Quantizer<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  explicit SignQuantizer(Buckets buckets) : buckets_(std::move(buckets)) {}

  std::string spelling() const override { return "sign(bucket=" + buckets_.spelling() + ")"; }
  Traits traits(std::size_t n) const override;
  CodeRange range() const override { return {0, 1}; }
  const Buckets& buckets() const override { return buckets_; }
  std::size_t header_bytes(std::size_t n) const override { return buckets_.count(n) * sizeof(Scalar); }
  std::size_t part_grain() const override { return buckets_.fixed_size(); }
  CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                       std::span<std::byte> header, std::span<std::int32_t> codes) const override;
  CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                          std::span<Scalar> values) const override;
  std::vector<Bracket> brackets(std::span<const Scalar> values) const override;

 private:
  Buckets buckets_;
};

extern template class SignQuantizer<float>;
extern template class SignQuantizer<double>;

}  // namespace hearsay
