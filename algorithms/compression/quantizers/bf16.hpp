#pragma once

#include "algorithms/compression/seam/quantizer.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Rounding to bfloat16: a sign, the 8 exponent bits of a float and 7 bits of fraction, two bytes a
/// coordinate.
///
///   |z| = 2^e (q + f) 2^-7,  128 <= q < 256,  0 <= f < 1       e >= -126; below 2^-126 e stays, and q < 128
///
///   bf16            to (q + 1) with probability f, else to q: unbiased. Exactly so in float; in double f is
///                   rounded up to 32 bits, so that the mean is off by at most 2^-32 of the spacing 2^(e -
///                   7).
///   bf16(nearest)   to the nearer one, ties to even q: deterministic and biased.
///
/// Traits     omega <= 2^-16 / (1 + 2^-7): the maximum of f (1 - f) 2^-14 / (1 + f 2^-7)^2, just above a
///            power of two. On Gaussian data it is E 4^e 2^-14 / 6 = 5.5e-6. bf16(nearest) has a relative
///            error of at most 1/257 (at 2^e (1 + 2^-8)): delta = 1 - 1/257^2. Neither holds for coordinates
///            below 2^-126, in float as in double: their error is up to 2^-133.
/// Zeros      0 stays 0 and keeps its sign.
/// Failure    `saturated` if |z| is above the largest bfloat16, 2^128 - 2^120. Then, and for Inf or NaN,
///            every code is that of NaN, and the message decodes as `not_finite`.
/// Message    no header; codes of 16 bits, those of a bfloat16.
/// Source     the format of Google's TPUs and of AVX512_BF16; stochastic rounding as in Gupta, Agrawal,
///            Gopalakrishnan, Narayanan 2015 (arXiv:1502.02551).
template <class Scalar>
class Bf16 final : public Quantizer<Scalar> {
 public:
  static std::unique_ptr<Quantizer<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  explicit Bf16(bool nearest) : nearest_(nearest), whole_(Buckets::whole()) {}

  std::string spelling() const override { return nearest_ ? "bf16(nearest)" : "bf16"; }
  Traits traits(std::size_t n) const override;
  CodeRange range() const override { return {0, 0xFFFF}; }
  const Buckets& buckets() const override { return whole_; }
  std::size_t header_bytes(std::size_t) const override { return 0; }
  std::size_t part_grain() const override { return 1; }
  CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                       std::span<std::byte> header, std::span<std::int32_t> codes) const override;
  CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                          std::span<Scalar> values) const override;
  std::vector<Bracket> brackets(std::span<const Scalar> values) const override;

 private:
  bool nearest_;
  Buckets whole_;
};

extern template class Bf16<float>;
extern template class Bf16<double>;

}  // namespace hearsay
