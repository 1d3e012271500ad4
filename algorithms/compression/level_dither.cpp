#include "algorithms/compression/level_dither.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/compression/dither_error.hpp"
#include "algorithms/compression/wire_scalar.hpp"
#include "topology/ensure.hpp"

namespace hearsay {

namespace {

constexpr int fraction_bits = 24;
constexpr std::int32_t unit = std::int32_t{1} << fraction_bits;

}  // namespace

template <class Scalar>
LevelDither<Scalar>::LevelDither(DitherNorm norm, LevelSet levels, Buckets buckets)
    : norm_(norm), levels_(std::move(levels)), buckets_(std::move(buckets)) {
  ensure(levels_.count() <= LevelSet::most_others, "a place among the levels fits an int32");
  for (const double level : levels_.levels()) rounded_levels_.push_back(static_cast<Scalar>(level));
  for (std::size_t j = 1; j < rounded_levels_.size(); ++j)
    gains_.push_back(unit /
                     (static_cast<double>(rounded_levels_[j]) - static_cast<double>(rounded_levels_[j - 1])));
}

template <class Scalar>
std::string LevelDither<Scalar>::spelling() const {
  return "dither(" + spelling_of(norm_) + ", " + levels_.spelling() + ", bucket=" + buckets_.spelling() + ")";
}

template <class Scalar>
Traits LevelDither<Scalar>::traits(std::size_t n) const {
  const std::size_t largest = buckets_.largest(n);
  Traits traits;
  traits.unbiased = true;
  // Buckets are independent and omega grows with their size: the largest bucket bounds them all.
  traits.omega = dither_worst_omega(norm_, largest, levels_);
  traits.omega_typical = dither_gaussian_omega(norm_, largest, levels_);
  if (traits.omega < 1.0) traits.contraction = 1.0 - traits.omega;
  return traits;
}

template <class Scalar>
Scalar LevelDither<Scalar>::norm_of(std::span<const Scalar> bucket) const {
  double exact = bucket_norm(norm_, bucket);
  // A computed Euclidean norm may be an ulp of a double below its only large coordinate.
  if (norm_ == DitherNorm::l2 && std::isfinite(exact))
    exact = std::max(exact, bucket_norm(DitherNorm::linf, bucket));
  const auto norm = static_cast<Scalar>(exact);
  return static_cast<double>(norm) < exact ? std::nextafter(norm, std::numeric_limits<Scalar>::infinity())
                                           : norm;
}

template <class Scalar>
std::int32_t LevelDither<Scalar>::place(Scalar z, Scalar norm) const {
  const Scalar ratio = std::abs(z) / norm;
  const auto above = std::ranges::upper_bound(rounded_levels_, ratio);
  const auto below = static_cast<std::int32_t>(above - rounded_levels_.begin()) - 1;
  std::int32_t place = below * unit;
  if (above != rounded_levels_.end()) {
    const auto j = static_cast<std::size_t>(below);
    // Exact but for the product: ratio and level are at most 53 bits, and near each other or the level is 0.
    const double beyond = static_cast<double>(ratio) - static_cast<double>(rounded_levels_[j]);
    place += static_cast<std::int32_t>(beyond * gains_[j] + 0.5);
  }
  return z < Scalar(0) ? -place : place;
}

template <class Scalar>
Scalar LevelDither<Scalar>::decoded(std::int32_t code, Scalar norm) const {
  const Scalar magnitude = rounded_levels_[static_cast<std::size_t>(std::abs(code))] * norm;
  return code < 0 ? -magnitude : magnitude;
}

template <class Scalar>
CodecStatus LevelDither<Scalar>::quantize(std::span<const Scalar> values, const QuantizeInput& input,
                                          std::span<std::byte> header, std::span<std::int32_t> codes) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const Scalar norm = norm_of(values.subspan(begin, size));
    write_scalar(header, bucket, norm);
    if (!(norm > Scalar(0)) || std::isinf(norm)) {
      std::ranges::fill(codes.subspan(begin, size), 0);
      if (norm != Scalar(0) && status != CodecStatus::not_finite)
        status = std::isnan(norm) ? CodecStatus::not_finite : CodecStatus::saturated;
      return;
    }
    for (std::size_t i = begin; i < begin + size; ++i) {
      const std::uint32_t u = element_bits(input.key, static_cast<std::uint32_t>(i)) >> (32 - fraction_bits);
      codes[i] = (place(values[i], norm) + static_cast<std::int32_t>(u)) >> fraction_bits;
    }
  });
  return status;
}

template <class Scalar>
CodecStatus LevelDither<Scalar>::reconstruct(std::span<const std::byte> header,
                                             std::span<const std::int32_t> codes,
                                             std::span<Scalar> values) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto norm = read_scalar<Scalar>(header, bucket);
    if (std::signbit(norm))
      status = CodecStatus::malformed;
    else if (!std::isfinite(norm) && status == CodecStatus::ok)
      status = CodecStatus::not_finite;
    for (std::size_t i = begin; i < begin + size; ++i) values[i] = decoded(codes[i], norm);
  });
  return status;
}

template <class Scalar>
std::vector<Bracket> LevelDither<Scalar>::brackets(std::span<const Scalar> values) const {
  std::vector<Bracket> brackets;
  bool encodable = true;
  buckets_.for_each(values.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto z = values.subspan(begin, size);
    const Scalar norm = norm_of(z);
    encodable = encodable && std::isfinite(norm);
    if (!encodable) return;
    for (const Scalar value : z) {
      const std::int32_t at = norm == Scalar(0) ? 0 : place(value, norm);
      const std::int32_t low = at >> fraction_bits;
      const std::int32_t high = std::min(low + 1, levels_.count());  // at the top the probability is 0
      brackets.push_back({static_cast<double>(decoded(low, norm)), static_cast<double>(decoded(high, norm)),
                          static_cast<double>(at & (unit - 1)) / unit});
    }
  });
  if (!encodable) brackets.clear();
  return brackets;
}

template class LevelDither<float>;
template class LevelDither<double>;

}  // namespace hearsay
