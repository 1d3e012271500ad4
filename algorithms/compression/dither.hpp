#pragma once

#include "algorithms/compression/dither_quantizer.hpp"

namespace hearsay {

/// Dithering: unbiased random rounding of every bucket to 2 s + 1 levels, equally spaced up to the bucket's
/// norm.
///
///   norm     ||z||      the largest magnitude (linf) or the Euclidean norm (l2) of the bucket
///   step     Delta    = ||z|| / s
///   code     q_i      = floor(z_i / Delta + u_i),   u_i uniform in [0, 1)
///   decoded  C(z)_i   = q_i Delta
///
/// s = `levels` positive levels; bits = b spells s = 2^(b-1) - 1. Members of the family that are named
/// elsewhere: qsgd(b) is l2, qsgdinf(b) linf, terngrad is linf with s = 1 and a bucket per layer; levels that are
/// not equally spaced, natural-dithering and nuqsgd among them, are level_dither.hpp's.
///
/// Message    the steps of all buckets (Scalar each), then each bucket's codes (dither_bucket.hpp), each
///            beginning at a byte: sum over buckets of sizeof(Scalar) + ceil(n b / 8) bytes, b the bits of a
///            code.
/// Rounding   z_i / Delta is computed as z_i times a rounded-up reciprocal and rounded to 2^-24 (fewer bits
/// from
///            256 levels on); u_i has as many random bits. So the mean is off by at most 2^-25 of a step and
///            two roundings of Scalar, and q_i is exact integer arithmetic. Decoding: one product.
/// linf       the largest coordinate always gets q = +-s: it is exact to two ulps, and wholly for s = 1.
/// Zeros      a zero bucket has step 0 and decodes to zeros.
/// Failure    Inf or NaN in a bucket: its step is NaN; a Euclidean norm beyond the range of Scalar
/// (`saturated`):
///            its step is Inf. Either decodes as `not_finite`, and `encode_and_apply` leaves the buckets from
///            there on unapplied.
/// Source     Alistarh et al. 2017 (QSGD, arXiv:1610.02132), Wen et al. 2017 (TernGrad, arXiv:1705.07878).
/// Departs    both code zero runs or entropy; here the width is fixed.
template <class Scalar>
class Dither final : public RoundingCompressor<Scalar> {
 public:
  explicit Dither(DitherQuantizer<Scalar> quantizer) : quantizer_(std::move(quantizer)) {}

  std::string spelling() const override { return quantizer_.spelling(); }
  Traits traits(std::size_t dimension) const override;
  CodecStatus encode(const EncodeInput<Scalar>& input, PacketBuffer& out) override;
  CodecStatus encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                               std::span<Scalar> into) override;
  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;
  std::vector<Bracket> brackets(std::span<const Scalar> vector) const override {
    return quantizer_.brackets(vector);
  }

 private:
  CodecStatus encode_sweep(const EncodeInput<Scalar>& input, PacketBuffer& out, Scalar* into);
  CodecStatus check(std::span<const std::byte> packet, std::size_t dimension) const;
  std::size_t message_bytes(std::size_t dimension) const;

  const DitherCode& code() const { return quantizer_.code(); }
  const Buckets& buckets() const { return quantizer_.buckets(); }

  DitherQuantizer<Scalar> quantizer_;
};

extern template class Dither<float>;
extern template class Dither<double>;

}  // namespace hearsay
