#pragma once

#include "algorithms/compression/quantizers/dither_quantizer.hpp"
#include "algorithms/compression/quantizers/fused_compressor.hpp"

namespace hearsay {

/// Dithering: unbiased random rounding of every bucket to 2 s + 1 levels between -N and N. N is the bucket's
/// norm: the largest magnitude (linf) or the Euclidean norm (l2).
///
///   ratio    r_i = |z_i| / N,  l <= r_i < u neighbors among the levels 0 = l_0 < ... < l_s = 1
///   rounding r_i to u with probability (r_i - l) / (u - l), else to l
///   code     q_i     = sign(z_i) times the number of that level
///   decoded  C(z)_i  = sign(q_i) l_|q_i| N
///
/// For equally spaced levels that is, with step Delta = N / s and u_i uniform in [0, 1),
///
///   code     q_i     = floor(z_i / Delta + u_i)
///   decoded  C(z)_i  = q_i Delta
///
/// s = `levels` positive levels (level_set.hpp); bits = b spells s = 2^(b-1) - 1. Published members of the
/// family: qsgd(b) is l2, qsgdinf(b) is linf, terngrad is linf with s = 1 and a bucket per layer, all three
/// equally spaced; natural-dithering has powers of two as levels, and nuqsgd(b) is the same by l2.
///
/// Message    the steps of all buckets (Scalar each), or their norms if levels are not equally spaced; then
///            the codes of each bucket (dither_bucket.hpp), each bucket beginning at a byte. In bytes: the
///            sum over buckets of sizeof(Scalar) + ceil(n b / 8), b the bits of a code. Sending the step
///            makes decoding one product. Other levels have no common step; their products with N are exact
///            for powers of two.
/// Rounding   Equally spaced: z_i / Delta is computed as z_i times a rounded-up reciprocal and rounded to
///            2^-24 (fewer bits from 128 levels on); u_i has as many random bits. So the mean is off by at
///            most 2^-25 of a step and two roundings of Scalar, and q_i is exact integer arithmetic.
///            Otherwise: N is rounded up, so that nothing is clipped; r_i is the rounded quotient; the levels
///            are rounded to Scalar, the place of r_i between l and u to 2^-24. So the mean is off by at most
///            2^-25 of (u - l) N and three roundings of Scalar, one for powers of two.
/// linf       the largest coordinate always gets q = +-s: it is exact to two ulps, and fully exact if s = 1
///            or the levels are not equally spaced.
/// Zeros      a zero bucket has step or norm 0 and decodes to zeros.
/// Failure    Inf or NaN in a bucket: its step or norm becomes NaN. A Euclidean norm beyond the range of
///            Scalar: it becomes Inf, and the status is `saturated`. Either decodes as `not_finite`, and
///            `encode_and_apply` applies neither this bucket nor those after it.
/// Source     Alistarh et al. 2017 (QSGD, arXiv:1610.02132), Wen et al. 2017 (TernGrad, arXiv:1705.07878),
///            Horvath et al. 2019 (natural dithering, arXiv:1905.10988), Ramezani-Kebrya et al. 2021 (NUQSGD,
///            arXiv:1908.06077).
/// Departs    all of these papers code runs of zeros or by entropy; here the width of a code is fixed. The
///            program published with NUQSGD has no level 0 and is not the operator of the paper; the paper's
///            is implemented here.
template <class Scalar>
class Dither final : public FusedCompressor<Scalar, DitherQuantizer> {
 public:
  using FusedCompressor<Scalar, DitherQuantizer>::FusedCompressor;

  CodecStatus accumulate(std::span<const std::byte> packet, Scalar scale, std::span<Scalar> into) override;

 private:
  std::size_t message_bytes(std::size_t dimension) const override;
  CodecStatus sweep(std::span<const Scalar> z, ElementKey key, std::span<std::byte> bytes,
                    std::span<Scalar> into) override;
  CodecStatus check(std::span<const std::byte> packet, std::size_t dimension) const;

  using FusedCompressor<Scalar, DitherQuantizer>::quantizer;
  using FusedCompressor<Scalar, DitherQuantizer>::buckets;
  const DitherCode& code() const { return quantizer().code(); }
};

extern template class Dither<float>;
extern template class Dither<double>;

}  // namespace hearsay
