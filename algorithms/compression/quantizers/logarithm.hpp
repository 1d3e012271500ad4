#pragma once

#include <array>

#include "algorithms/compression/seam/quantizer.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Deterministic rounding to a geometric scale below the largest magnitude M of the bucket: the codes are
/// exponents.
///
///   levels   M b^-k,  k = 0..62
///   code     0 if |z_i| is nearer to 0 than to the last level, else sign(z_i) (k + 1) with k the number of
///            the nearest level; ties go to the smaller magnitude
///   decoded  C(z)_i = sign(q_i) M b^-(|q_i| - 1)
///
/// Biased and contractive. Above the last level l = M b^-62 the relative error is at most r = (b - 1) / (b +
/// 1), 1/3 for b = 2; below it the error is at most l / 2 and |z_i|; M itself is exact. With F = (n - 1)
/// b^-124 / 4 in a bucket of n
///
///   delta = 1 - max( r^2, F / (1 + F) ),   8/9 for b = 2.
///
/// For methods with error feedback; threshold(..) | log is FastSGD's form.
///
/// Message    the M of all buckets (Scalar each); the codes, in [-63, 63].
/// Rounding   |z_i| / M, the powers of b and the products M b^-k are taken in double, the products then
///            rounded to Scalar. No logarithm is taken: the code is found by searching the midpoints of
///            neighboring levels.
/// Failure    Inf or NaN in a bucket: its M is NaN and the message decodes as `not_finite`. Never saturated.
/// Source     Yang et al. 2021 (FastSGD, arXiv:2112.04291), the exponents of reciprocal gradients.
/// Departs    the codes of the paper are exponents of 1/|g| itself, truncated to whole numbers. Relative to
///            M, no range need be agreed on beforehand, and rounding to the nearest has a smaller error
///            (truncated: 1 - 1/b).
template <class Scalar>
class Logarithm final : public Quantizer<Scalar> {
 public:
  static std::unique_ptr<Quantizer<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  Logarithm(double base, Buckets buckets);

  std::string spelling() const override;
  Traits traits(std::size_t n) const override;
  CodeRange range() const override { return {-level_count, level_count}; }
  const Buckets& buckets() const override { return buckets_; }
  std::size_t header_bytes(std::size_t n) const override { return buckets_.count(n) * sizeof(Scalar); }
  std::size_t part_grain() const override { return buckets_.fixed_size(); }
  CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                       std::span<std::byte> header, std::span<std::int32_t> codes) const override;
  CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                          std::span<Scalar> values) const override;
  std::vector<Bracket> brackets(std::span<const Scalar> values) const override;

 private:
  static constexpr std::int32_t level_count = 63;

  std::int32_t code_of(Scalar value, double largest) const;
  /// True if the kernel took the values, which are many and finite, for a largest magnitude above 0.
  bool quantize_fast(std::span<const Scalar> values, double largest, std::span<std::int32_t> codes) const;
  Scalar value_of(std::int32_t code, Scalar largest) const;

  double base_;
  Buckets buckets_;
  std::array<double, level_count> levels_;  ///< b^-k
  std::array<double, level_count>
      midpoints_;  ///< between each level and the next; for the last level, between it and 0
};

extern template class Logarithm<float>;
extern template class Logarithm<double>;

}  // namespace hearsay
