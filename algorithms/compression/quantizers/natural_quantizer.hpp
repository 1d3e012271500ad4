#pragma once

#include "algorithms/compression/quantizers/natural_code.hpp"
#include "algorithms/compression/seam/quantizer.hpp"
#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// Natural compression: unbiased random rounding of every coordinate to one of the two powers of two around
/// it.
///
///   |z| = 2^e (1 + m),  0 <= m < 1        C(z) = sign(z) 2^(e+1) with probability m, else sign(z) 2^e
///
/// Encoding adds u, uniform below 2^23, to the bits of z as an integer, then cuts off the fraction. The sum
/// carries into the exponent for m 2^23 of the 2^23 values of u: exactly unbiased in float. In double u has
/// 32 bits, and the mean is off by at most 2^-33 of 2^e.
///
///   natural           all exponents of Scalar: 9 bits for float, 12 for double
///   natural(bits=8)   a sign and 7 bits of exponent: 2^-109 to 2^17, the window that GRACE ships. Below it,
///                     z is rounded to 0 or 2^-109 at random, and the mean stays z up to 2^-133; GRACE's code
///                     is biased there.
///
/// Traits     omega = 1/8, worst at |z| = 2^e 4/3: (m - m^2) / (1 + m)^2. On Gaussian data it is 0.0817.
///            Neither holds for coordinates between 0 and the smallest power (2^-126 in float, 2^-1022 in
///            double, 2^-109 in the window): those are unbiased with a standard deviation of at most half
///            that power, whatever their size.
/// Zeros      0 stays 0; it keeps its sign, but not in the window.
/// Failure    `saturated` if |z| is above the largest power (2^127, 2^1023, 2^17), whose upper neighbor has
///            no code. Then, and for Inf or NaN, every code of the message is the one that stands for no
///            number (exponent field all ones; in the window minus zero), and the message decodes as
///            `not_finite`.
/// Message    no header; the codes. natural | raw in float: one byte of exponent for each coordinate, then
///            their signs, a bit each (places.hpp). natural(bits=8) | raw: a byte each.
/// Source     Horvath, Ho, Horvath, Sahu, Canini, Richtarik 2019 (arXiv:1905.10988), the operator C_nat and
///            its factor 9/8.
/// Departs    an 8-bit code that is unbiased below its window. GRACE also draws 2^23 - 1 values only, which
///            biases it a little.
template <class Scalar>
class NaturalQuantizer final : public Quantizer<Scalar> {
 public:
  static std::unique_ptr<Quantizer<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  NaturalQuantizer(NaturalCode<Scalar> code, Buckets whole) : code_(code), whole_(std::move(whole)) {}

  std::string spelling() const override { return code_.windowed() ? "natural(bits=8)" : "natural"; }
  Traits traits(std::size_t n) const override;
  CodeRange range() const override { return {0, (1 << code_.bits()) - 1}; }
  const Buckets& buckets() const override { return whole_; }
  std::size_t header_bytes(std::size_t) const override { return 0; }
  std::size_t part_grain() const override { return 1; }
  CodecStatus quantize(std::span<const Scalar> values, const QuantizeInput& input,
                       std::span<std::byte> header, std::span<std::int32_t> codes) const override;
  CodecStatus reconstruct(std::span<const std::byte> header, std::span<const std::int32_t> codes,
                          std::span<Scalar> values) const override;
  std::vector<Bracket> brackets(std::span<const Scalar> values) const override;

  const NaturalCode<Scalar>& code() const { return code_; }

 private:
  NaturalCode<Scalar> code_;
  Buckets whole_;
};

extern template class NaturalQuantizer<float>;
extern template class NaturalQuantizer<double>;

}  // namespace hearsay
