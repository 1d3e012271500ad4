#include "algorithms/compression/quantizers/natural_quantizer.hpp"

#include <algorithm>

namespace hearsay {

namespace {

/// E (z - 2^e)(2^(e+1) - z) over a standard normal z: the variance of the rounding, by numerical integration.
constexpr double gaussian_omega = 0.0817206;

}  // namespace

template <class Scalar>
std::unique_ptr<Quantizer<Scalar>> NaturalQuantizer<Scalar>::parse(const StageSpelling& stage,
                                                                   const SegmentTable&) {
  const Arguments arguments(stage, {"bits", {"bits"}, {}});
  if (arguments.has("bits") && arguments.text("bits") != "8")
    arguments.refuse("bits", "8, or no bits for all exponents of the scalar");
  return std::make_unique<NaturalQuantizer>(NaturalCode<Scalar>(arguments.has("bits")), Buckets::whole());
}

template <class Scalar>
Traits NaturalQuantizer<Scalar>::traits(std::size_t) const {
  Traits traits;
  traits.unbiased = true;
  traits.omega = 0.125;
  traits.omega_typical = gaussian_omega;
  traits.contraction = 1.0 - traits.omega;
  return traits;
}

template <class Scalar>
CodecStatus NaturalQuantizer<Scalar>::quantize(std::span<const Scalar> values, const QuantizeInput& input,
                                               std::span<std::byte>, std::span<std::int32_t> codes) const {
  const CodecStatus status = code_.status(largest_magnitude_of(values));
  if (status != CodecStatus::ok) {
    std::ranges::fill(codes, code_.failure());
    return status;
  }
  for (std::size_t i = 0; i < values.size(); ++i)
    codes[i] = code_.encode(values[i], element_bits(input.key, input.first + static_cast<std::uint32_t>(i)));
  return status;
}

template <class Scalar>
CodecStatus NaturalQuantizer<Scalar>::reconstruct(std::span<const std::byte>,
                                                  std::span<const std::int32_t> codes,
                                                  std::span<Scalar> values) const {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if (!code_.is_number(codes[i])) return CodecStatus::not_finite;
    values[i] = code_.decode(codes[i]);
  }
  return CodecStatus::ok;
}

template <class Scalar>
std::vector<Bracket> NaturalQuantizer<Scalar>::brackets(std::span<const Scalar> values) const {
  std::vector<Bracket> brackets;
  if (code_.status(largest_magnitude_of(values)) != CodecStatus::ok) return brackets;
  for (const Scalar value : values) brackets.push_back(code_.bracket(value));
  return brackets;
}

template class NaturalQuantizer<float>;
template class NaturalQuantizer<double>;

}  // namespace hearsay
