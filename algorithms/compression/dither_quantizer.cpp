#include "algorithms/compression/dither_quantizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "algorithms/compression/dither_kernels.hpp"
#include "algorithms/compression/wire_scalar.hpp"
#include "algorithms/kernels.hpp"
#include "topology/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::int32_t most_levels = 32767;

std::int32_t levels_of_bits(std::uint64_t bits) { return static_cast<std::int32_t>((1u << (bits - 1)) - 1); }

/// Euclidean norm of finite coordinates whose squares may leave the range of a double.
template <class Scalar>
double scaled_norm(std::span<const Scalar> z, double largest) {
  const int exponent = std::ilogb(largest);
  double total = 0.0;
  for (const Scalar value : z) {
    const double scaled = std::scalbn(static_cast<double>(value), -exponent);
    total += scaled * scaled;
  }
  return std::scalbn(std::sqrt(total), exponent);
}

double largest_of(std::span<const double> z) {
  double largest = 0.0;
  for (const double value : z) {
    const double magnitude = std::abs(value);
    if (!(magnitude <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, magnitude);
  }
  return largest;
}

double largest_of(std::span<const float> z) { return static_cast<double>(largest_magnitude(z)); }

}  // namespace

template <class Scalar>
std::unique_ptr<Quantizer<Scalar>> DitherQuantizer<Scalar>::parse(const StageSpelling& stage,
                                                                  const SegmentTable& segments) {
  const Arguments arguments(stage, {"norm", {"norm", "levels", "bits", "bucket"}, {}});
  const std::array<std::string, 2> norms{"linf", "l2"};
  const auto norm = arguments.word("norm", norms) == "l2" ? DitherNorm::l2 : DitherNorm::linf;
  const auto levels = arguments.count("levels", 1, most_levels);
  const auto bits = arguments.count("bits", 2, 16);
  if (levels && bits) arguments.refuse("bits", "levels or bits, not both");
  if (!levels && !bits) arguments.refuse("levels", "levels= or bits=");
  return std::make_unique<DitherQuantizer>(
      norm, levels ? static_cast<std::int32_t>(*levels) : levels_of_bits(*bits),
      Buckets::parse(arguments, segments, "512"));
}

template <class Scalar>
DitherQuantizer<Scalar>::DitherQuantizer(DitherNorm norm, std::int32_t levels, Buckets buckets)
    : norm_(norm), code_(levels), buckets_(std::move(buckets)) {
  ensure(1 <= levels && levels <= most_levels, "a dither has 1 to 32767 positive levels");
}

template <class Scalar>
std::string DitherQuantizer<Scalar>::spelling() const {
  return std::string("dither(") + (norm_ == DitherNorm::l2 ? "l2" : "linf") +
         ", levels=" + std::to_string(code_.levels) + ", bucket=" + buckets_.spelling() + ")";
}

template <class Scalar>
Traits DitherQuantizer<Scalar>::traits(std::size_t n) const {
  const std::size_t largest = buckets_.largest(n);
  Traits traits;
  traits.unbiased = true;
  // Buckets are independent and omega grows with their size: the largest bucket bounds them all.
  traits.omega = dither_worst_omega(norm_, largest, code_.levels);
  traits.omega_typical = dither_gaussian_omega(norm_, largest, code_.levels);
  if (traits.omega < 1.0) traits.contraction = 1.0 - traits.omega;
  return traits;
}

template <class Scalar>
double DitherQuantizer<Scalar>::norm_of(std::span<const Scalar> bucket) const {
  const double largest = largest_of(bucket);
  if (norm_ == DitherNorm::linf || largest == 0.0 || !std::isfinite(largest)) return largest;
  const bool squares_in_range = 0x1p-400 < largest && largest < 0x1p400;
  const double norm = squares_in_range ? std::sqrt(squared_norm(bucket)) : scaled_norm(bucket, largest);
  const bool in_range = norm <= static_cast<double>(std::numeric_limits<Scalar>::max());
  return in_range ? norm : std::numeric_limits<double>::infinity();
}

template <class Scalar>
CodecStatus DitherQuantizer<Scalar>::quantize(std::span<const Scalar> values, const QuantizeInput& input,
                                              std::span<std::byte> header,
                                              std::span<std::int32_t> codes) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const double norm = norm_of(values.subspan(begin, size));
    if (!std::isfinite(norm)) {
      write_scalar(header, bucket, static_cast<Scalar>(norm));
      std::ranges::fill(codes.subspan(begin, size), 0);
      if (status != CodecStatus::not_finite)
        status = std::isnan(norm) ? CodecStatus::not_finite : CodecStatus::saturated;
      return;
    }
    const auto step = dither_step<Scalar>(norm, code_);
    write_scalar(header, bucket, step.step);
    for (std::size_t i = begin; i < begin + size; ++i)
      codes[i] = random_code(values[i], step, code_, input.key, static_cast<std::uint32_t>(i));
  });
  return status;
}

template <class Scalar>
CodecStatus DitherQuantizer<Scalar>::reconstruct(std::span<const std::byte> header,
                                                 std::span<const std::int32_t> codes,
                                                 std::span<Scalar> values) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto step = read_scalar<Scalar>(header, bucket);
    if (std::signbit(step))
      status = CodecStatus::malformed;
    else if (!std::isfinite(step * static_cast<Scalar>(code_.levels)) && status == CodecStatus::ok)
      status = CodecStatus::not_finite;
    for (std::size_t i = begin; i < begin + size; ++i) values[i] = static_cast<Scalar>(codes[i]) * step;
  });
  return status;
}

template <class Scalar>
std::vector<Bracket> DitherQuantizer<Scalar>::brackets(std::span<const Scalar> values) const {
  std::vector<Bracket> brackets;
  bool encodable = true;
  buckets_.for_each(values.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto z = values.subspan(begin, size);
    const double norm = norm_of(z);
    encodable = encodable && std::isfinite(norm);
    if (!encodable) return;
    const auto step = dither_step<Scalar>(norm, code_);
    const std::int32_t unit = std::int32_t{1} << code_.fraction_bits;
    for (const Scalar value : z) {
      const std::int32_t fixed = fixed_point(value, step, code_);
      const std::int32_t low = fixed >> code_.fraction_bits;
      const std::int32_t high = std::min(low + 1, code_.levels);  // at the top the probability is 0
      brackets.push_back({static_cast<double>(static_cast<Scalar>(low) * step.step),
                          static_cast<double>(static_cast<Scalar>(high) * step.step),
                          static_cast<double>(fixed & (unit - 1)) / unit});
    }
  });
  if (!encodable) brackets.clear();
  return brackets;
}

template class DitherQuantizer<float>;
template class DitherQuantizer<double>;

}  // namespace hearsay
