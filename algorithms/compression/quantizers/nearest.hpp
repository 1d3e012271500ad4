#pragma once

#include "algorithms/compression/quantizers/dither_bucket.hpp"
#include "algorithms/compression/seam/quantizer.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Deterministic rounding of every bucket to 2 s + 1 levels, equally spaced up to its largest magnitude: the
/// levels of dither(linf), without its noise.
///
///   step     Delta    = ||z||_inf / s,   s = 2^(bits - 1) - 1
///   code     q_i      = the whole number nearest to z_i / Delta, ties to even
///   decoded  C(z)_i   = q_i Delta
///
/// Biased and contractive. An error is at most Delta / 2 and at most |z_i|, and the largest coordinate has
/// none. So with E = (n - 1) Delta^2 / 4, ||C(z) - z||^2 <= E / (||z||_inf^2 + E) ||z||^2: in a bucket of n
///
///   delta = 1 / (1 + (n - 1) / (4 s^2)),
///
/// attained if all but one coordinate lie half a step from 0. For methods with error feedback, and after
/// fwht.
///
/// Message    the steps of all buckets (Scalar each); the codes.
/// Rounding   the step is rounded as dither's, toward 0; the quotient is taken in double, the product in
///            Scalar.
/// Zeros      a zero bucket has step 0 and decodes to zeros.
/// Failure    Inf or NaN in a bucket: its step is NaN and the message decodes as `not_finite`. Never
///            saturated.
/// Source     the scalar quantizer of DGD-DEF (Saha, Pilanci, Goldsmith 2021, arXiv:2103.07578).
/// Departs    one level less than the 2^bits of the paper, with 0 among them, so that zeros stay zeros.
template <class Scalar>
class Nearest final : public Quantizer<Scalar> {
 public:
  static std::unique_ptr<Quantizer<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  Nearest(unsigned bits, Buckets buckets);

  std::string spelling() const override;
  Traits traits(std::size_t n) const override;
  CodeRange range() const override { return {-code_.levels, code_.levels}; }
  const Buckets& buckets() const override { return buckets_; }
  std::size_t header_bytes(std::size_t n) const override { return buckets_.count(n) * sizeof(Scalar); }
  std::size_t part_grain() const override { return buckets_.fixed_size(); }
  CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                       std::span<std::byte> header, std::span<std::int32_t> codes) const override;
  CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                          std::span<Scalar> values) const override;
  std::vector<Bracket> brackets(std::span<const Scalar> values) const override;

 private:
  std::int32_t code_of(Scalar value, Scalar step) const;

  DitherCode code_;
  Buckets buckets_;
};

extern template class Nearest<float>;
extern template class Nearest<double>;

}  // namespace hearsay
