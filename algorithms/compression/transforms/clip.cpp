#include "algorithms/compression/transforms/clip.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/selectors/magnitudes.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// Returns c sigma of a layer; NaN if a coordinate is Inf or NaN, Inf if all are equal. `scaled` is scratch
/// space of the size of the layer.
template <class Scalar>
double clipping_limit(std::span<const Scalar> layer, double deviations, std::span<Scalar> scaled) {
  if (!all_finite(layer)) return std::numeric_limits<double>::quiet_NaN();
  if (std::ranges::all_of(layer, [&](Scalar value) { return value == layer.front(); }))
    return std::numeric_limits<double>::infinity();
  // Clamped, since the reciprocal of the largest or smallest magnitudes would leave the range.
  const int edge = std::numeric_limits<Scalar>::max_exponent - 4;
  const int exponent =
      std::clamp(std::ilogb(std::bit_cast<Scalar>(largest_magnitude_of(layer))), -edge, edge);
  const Scalar unit = std::ldexp(Scalar(1), -exponent);
  for (std::size_t i = 0; i < layer.size(); ++i) scaled[i] = layer[i] * unit;
  const auto n = static_cast<double>(layer.size());
  const std::span<const Scalar> coordinates = scaled;
  const double mean = sum(coordinates) / n;
  return std::ldexp(deviations * std::sqrt(squared_deviation(coordinates, mean) / n), exponent);
}

/// Returns the value clipped to [-limit, limit]; NaN if the limit is NaN.
template <class Scalar>
Scalar within(Scalar value, Scalar limit) {
  return std::isnan(limit) ? limit : std::min(std::max(value, -limit), limit);
}

}  // namespace

template <class Scalar>
std::unique_ptr<Transform<Scalar>> Clip<Scalar>::parse(const StageSpelling& stage,
                                                       const SegmentTable& segments) {
  const Arguments arguments(stage, {"sigma", {"sigma"}, {}});
  const auto deviations = arguments.positive_with_unit("sigma", "sigma");
  if (!deviations) arguments.refuse("sigma", "a limit such as 2.5sigma");
  return std::make_unique<Clip>(*deviations, Buckets::parse(arguments, segments, "layer"));
}

template <class Scalar>
std::string Clip<Scalar>::spelling() const {
  return "clip(" + number_text(deviations_) + "sigma)";
}

template <class Scalar>
Traits Clip<Scalar>::traits(std::size_t) const {
  Traits traits;
  traits.deterministic = true;
  return traits;
}

template <class Scalar>
Scalar Clip<Scalar>::limit_of(std::span<const Scalar> layer, std::span<Scalar> scratch) const {
  constexpr Scalar largest = std::numeric_limits<Scalar>::max();
  const double limit = clipping_limit(layer, deviations_, scratch);
  return limit > static_cast<double>(largest) ? largest : static_cast<Scalar>(limit);
}

template <class Scalar>
void Clip<Scalar>::forward(std::span<const Scalar> in, std::uint64_t, std::span<Scalar> out) {
  layers_.for_each(in.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto layer = in.subspan(begin, size);
    const auto clipped = out.subspan(begin, size);
    const Scalar limit = limit_of(layer, clipped);
    for (std::size_t i = 0; i < size; ++i) clipped[i] = within(layer[i], limit);
  });
}

template <class Scalar>
bool Clip<Scalar>::forward_latest(std::span<const Scalar> in, std::span<const Scalar> latest,
                                  std::span<Scalar> out) {
  layers_.for_each(in.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const Scalar limit = limit_of(in.subspan(begin, size), out.subspan(begin, size));
    for (std::size_t i = begin; i < begin + size; ++i) {
      const Scalar before = in[i] - latest[i];
      const bool inside = std::abs(in[i]) <= limit && std::abs(before) <= limit;
      out[i] = inside ? latest[i] : within(in[i], limit) - within(before, limit);
    }
  });
  return true;
}

template <class Scalar>
void Clip<Scalar>::inverse(std::span<Scalar> in, std::uint64_t, std::span<Scalar> out) {
  std::ranges::copy(in, out.begin());
}

template class Clip<float>;
template class Clip<double>;

}  // namespace hearsay
