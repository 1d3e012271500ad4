#pragma once

#include <vector>

#include "algorithms/compression/dither_norm.hpp"
#include "algorithms/compression/level_set.hpp"
#include "algorithms/compression/quantizer.hpp"

namespace hearsay {

/// Dithering to levels that need not be equally spaced: powers of two or a list. Equally spaced ones are dither.hpp's.
///
///   norm     N       = the largest magnitude (linf) or the Euclidean norm (l2) of the bucket
///   ratio    r_i     = |z_i| / N,  l <= r_i < u neighbors among the levels 0 = l_0 < ... < l_s = 1 (level_set.hpp)
///   rounding           to u with probability (r_i - l) / (u - l), else to l
///   code     q_i     = sign(z_i) times the number of that level, in [-s, s]
///   decoded  C(z)_i  = sign(q_i) l_|q_i| N
///
/// Message    the header holds each bucket's N (Scalar); the codes are the coder's business.
///            N itself, and not N over the number of levels as for equally spaced ones: those decode by one product of
///            code and step, which here no step could be; and N times 1, or times a power of two, is exact.
/// Rounding   N is rounded up, and is no less than the largest magnitude: nothing is ever clipped. r_i is the rounded
///            quotient in Scalar, the levels are rounded to Scalar, the place of r_i between l and u to 2^-24, and as
///            many random bits decide. So the mean is off by at most 2^-25 of (u - l) N and three roundings of Scalar
///            (one for powers of two). With the random bits of the element, the code is floor(R_i + u_i) for the signed
///            place R_i on the scale of level numbers: what dither.hpp does, after a change of scale.
/// linf       the largest coordinate gets q = +-s and is exact.
/// Zeros      a zero bucket has N = 0 and decodes to zeros.
/// Failure    Inf or NaN in a bucket: its N is NaN; a Euclidean norm beyond the range of Scalar (`saturated`): its N is
///            Inf. Either decodes as `not_finite`.
/// Source     Horvath et al. 2019 (natural dithering, arXiv:1905.10988), Ramezani-Kebrya et al. 2021 (NUQSGD,
///            arXiv:1908.06077).
/// Departs    both code by Elias or entropy; the default coder here has a fixed width. NUQSGD's own program has no level 0.
template <class Scalar>
class LevelDither final : public Quantizer<Scalar> {
 public:
  LevelDither(DitherNorm norm, LevelSet levels, Buckets buckets);

  std::string spelling() const override;
  Traits traits(std::size_t n) const override;
  CodeRange range() const override { return {-levels_.count(), levels_.count()}; }
  const Buckets& buckets() const override { return buckets_; }
  std::size_t header_bytes(std::size_t n) const override { return buckets_.count(n) * sizeof(Scalar); }
  CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                       std::span<std::byte> header, std::span<std::int32_t> codes) const override;
  CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                          std::span<Scalar> values) const override;
  std::vector<Bracket> brackets(std::span<const Scalar> values) const override;

 private:
  /// N; NaN or Inf where there is none in the range of Scalar.
  Scalar norm_of(std::span<const Scalar> bucket) const;
  /// R in units of 2^-24; `norm` is positive.
  std::int32_t place(Scalar z, Scalar norm) const;
  Scalar decoded(std::int32_t code, Scalar norm) const;

  DitherNorm norm_;
  LevelSet levels_;
  Buckets buckets_;
  std::vector<Scalar> rounded_levels_;  ///< l_0 to l_s
  std::vector<double> gains_;           ///< 2^24 over the gap above each level but the last
};

extern template class LevelDither<float>;
extern template class LevelDither<double>;

}  // namespace hearsay
