#pragma once

#include "algorithms/compression/seam/quantizer.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Random rounding to the fixed grid {q step}: unbiased, with an error that does not depend on z.
///
///   code     q_i    = floor(z_i / step + u_i),   u_i uniform in [0, 1)
///   decoded  C(z)_i = q_i step
///
/// E (C(z)_i - z_i)^2 = step^2 f (1 - f) <= step^2 / 4, f the fractional part of z_i / step. ECD-PSGD needs
/// such an error: its messages grow with the iterations, and an error relative to them would grow, too.
///
/// Codes      whole numbers below 2^31 in magnitude, no header. The coder is varint unless another is
///            spelled: 1 byte for -64 <= q <= 63, then one byte more for every 7 bits, 5 bytes at most.
/// Rounding   z_i / step and the product q_i step are taken in double, the product then rounded to Scalar.
///            u_i has 32 random bits: the mean is off by at most 2^-32 of a step and those roundings.
/// Failure    `saturated` if |z_i / step| reaches 2^31 - 1 or the decoded value is beyond the range of
///            Scalar. Then, and for Inf or NaN, the first code is -2^31, which stands for no number.
/// Source     Tang, Gan, Zhang, Zhang, Liu 2018 (arXiv:1803.06443), the bounded-error assumption of ECD-PSGD.
template <class Scalar>
class Grid final : public Quantizer<Scalar> {
 public:
  static std::unique_ptr<Quantizer<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  explicit Grid(double step);

  std::string spelling() const override;
  Traits traits(std::size_t n) const override;
  CodeRange range() const override;
  std::string default_coder() const override { return "varint"; }
  const Buckets& buckets() const override { return buckets_; }
  std::size_t header_bytes(std::size_t) const override { return 0; }
  std::size_t part_grain() const override { return 1; }
  CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                       std::span<std::byte> header, std::span<std::int32_t> codes) const override;
  CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                          std::span<Scalar> values) const override;
  std::vector<Bracket> brackets(std::span<const Scalar> values) const override;

 private:
  Scalar value(std::int64_t code) const { return static_cast<Scalar>(static_cast<double>(code) * step_); }

  double step_;
  double largest_ratio_;  ///< z is out of range if |z / step| reaches this
  Buckets buckets_;       ///< the whole vector: coordinates share nothing
};

extern template class Grid<float>;
extern template class Grid<double>;

}  // namespace hearsay
