#pragma once

#include "algorithms/compression/bracket.hpp"
#include "algorithms/compression/spelling.hpp"

namespace hearsay {

/// Random rounding to the fixed grid {q step}: unbiased, with an error that does not depend on z.
///
///   code     q_i    = floor(z_i / step + u_i),   u_i uniform in [0, 1)
///   decoded  C(z)_i = q_i step
///
/// E (C(z)_i - z_i)^2 = step^2 f (1 - f) <= step^2 / 4, f the fractional part of z_i / step. What ECD-PSGD
/// needs: its messages grow with the iterations, and an error relative to them would grow too.
///
/// Message    the q_i as zigzag variable-length integers (LEB128, shortest form): 1 byte for -64 <= q <= 63,
///            then a byte more for every 7 bits, 10 bytes at most. `Traits::bytes` is that worst case, 10 d;
///            a vector with all |z_i| < 63 step takes d.
/// Rounding   z_i / step and the product q_i step are taken in double, the product then rounded to Scalar.
///            u_i has 32 random bits: the mean is off by at most 2^-32 of a step and those roundings.
/// Failure    `saturated` where |z_i / step| reaches 2^62 or the decoded value leaves the range of Scalar.
///            Then, and for Inf or NaN, the message is two bytes that no regular message holds; it decodes as
///            `not_finite`. `encode_and_apply` leaves `into` as it was.
/// Source     Tang, Gan, Zhang, Zhang, Liu 2018 (arXiv:1803.06443), the bounded-error assumption of ECD-PSGD.
template <class Scalar>
class Grid final : public RoundingCompressor<Scalar> {
 public:
  static std::unique_ptr<Compressor<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  explicit Grid(double step);

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;
  std::vector<Bracket> brackets(std::span<const Scalar> vector) const override;

 private:
  Scalar value(std::int64_t code) const;
  /// Walks over a message; visit(index, q) for each of the `dimension` codes. False where the bytes are not
  /// exactly that many shortest-form codes in range; codes before the fault have been visited.
  template <class Visit>
  bool for_each_code(std::span<const std::byte> packet, std::size_t dimension, Visit visit) const;

  double step_;
  double largest_ratio_;  ///< |z / step| from here on is saturated
};

extern template class Grid<float>;
extern template class Grid<double>;

}  // namespace hearsay
