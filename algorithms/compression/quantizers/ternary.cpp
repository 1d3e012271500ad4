#include "algorithms/compression/quantizers/ternary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/quantizers/mean_magnitude.hpp"
#include "algorithms/compression/seam/scale_status.hpp"

namespace hearsay {

namespace {

template <class Scalar>
std::int32_t sign_of(Scalar value) {
  return (value > Scalar(0)) - (value < Scalar(0));
}

/// The mean magnitude of the values that are not 0; NaN if one is Inf or NaN.
template <class Scalar>
double own_scale(std::span<const Scalar> values) {
  const auto zeros = static_cast<std::size_t>(std::ranges::count(values, Scalar(0)));
  return zeros == values.size() ? 0.0 : mean_magnitude(values, values.size() - zeros);
}

}  // namespace

template <class Scalar>
std::unique_ptr<Quantizer<Scalar>> Ternary<Scalar>::parse(const StageSpelling& stage, const SegmentTable&) {
  const Arguments none(stage, {"", {}, {}});
  return std::make_unique<Ternary>();
}

template <class Scalar>
Traits Ternary<Scalar>::traits(std::size_t n) const {
  Traits traits;
  traits.contraction = 1.0 / static_cast<double>(std::max<std::size_t>(n, 1));
  traits.deterministic = true;
  return traits;
}

template <class Scalar>
CodecStatus Ternary<Scalar>::quantize(std::span<const Scalar> values, const QuantizeInput& input,
                                      std::span<std::byte> header, std::span<std::int32_t> codes) const {
  if (values.empty()) return CodecStatus::ok;
  double scale = own_scale(values);
  if (input.shared_scale && std::isfinite(scale)) scale = *input.shared_scale;
  const bool in_range = std::abs(scale) <= static_cast<double>(std::numeric_limits<Scalar>::max());
  if (!in_range && !std::isnan(scale)) scale = std::numeric_limits<double>::infinity();
  write_scalar(header, 0, static_cast<Scalar>(scale));
  for (std::size_t i = 0; i < values.size(); ++i) codes[i] = in_range ? sign_of(values[i]) : 0;
  if (in_range) return CodecStatus::ok;
  return std::isnan(scale) ? CodecStatus::not_finite : CodecStatus::saturated;
}

template <class Scalar>
CodecStatus Ternary<Scalar>::reconstruct(std::span<const std::byte> header,
                                         std::span<const std::int32_t> codes,
                                         std::span<Scalar> values) const {
  if (values.empty()) return CodecStatus::ok;
  const auto scale = read_scalar<Scalar>(header, 0);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<Scalar>(codes[i]) * scale;
  return status_of_scale(scale);
}

template <class Scalar>
std::vector<Bracket> Ternary<Scalar>::brackets(std::span<const Scalar> values) const {
  std::vector<Bracket> brackets;
  const auto scale = static_cast<double>(static_cast<Scalar>(own_scale(values)));
  if (!std::isfinite(scale)) return brackets;
  for (const Scalar value : values) {
    const double decoded = sign_of(value) * scale;
    brackets.push_back({decoded, decoded, 0.0});
  }
  return brackets;
}

template class Ternary<float>;
template class Ternary<double>;

}  // namespace hearsay
