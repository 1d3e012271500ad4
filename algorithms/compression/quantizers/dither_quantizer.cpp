#include "algorithms/compression/quantizers/dither_quantizer.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/quantizers/dither_error.hpp"
#include "algorithms/compression/quantizers/dither_kernels.hpp"

namespace hearsay {

namespace {

/// random_code of each coordinate, by the kernel if there is one.
template <class Scalar>
void bucket_codes(std::span<const Scalar> z, std::uint32_t first, const DitherStep<Scalar>& step,
                  const DitherCode& code, ElementKey key, std::span<std::int32_t> codes) {
  if constexpr (std::is_same_v<Scalar, float>)
    if (has_dither_kernel(code) && step.lift == 1.0f)
      return dither_codes_fast(z, first, step, code, key, codes);
  for (std::size_t i = 0; i < z.size(); ++i)
    codes[i] = random_code(z[i], step, code, key, first + static_cast<std::uint32_t>(i));
}

}  // namespace

template <class Scalar>
std::unique_ptr<Quantizer<Scalar>> DitherQuantizer<Scalar>::parse(const StageSpelling& stage,
                                                                  const SegmentTable& segments) {
  const Arguments arguments(stage, {"norm", {"norm", "levels", "bits", "bucket"}, {"pow2"}});
  const DitherNorm norm = parse_dither_norm(arguments);
  LevelSet levels = LevelSet::parse(arguments);
  Buckets buckets = Buckets::parse(arguments, segments, "512");
  return std::make_unique<DitherQuantizer>(norm, std::move(levels), std::move(buckets));
}

template <class Scalar>
DitherQuantizer<Scalar>::DitherQuantizer(DitherNorm norm, LevelSet levels, Buckets buckets)
    : norm_(norm), levels_(std::move(levels)), code_(levels_), buckets_(std::move(buckets)) {}

template <class Scalar>
std::string DitherQuantizer<Scalar>::spelling() const {
  return "dither(" + spelling_of(norm_) + ", " + levels_.spelling() + ", bucket=" + buckets_.spelling() + ")";
}

template <class Scalar>
Traits DitherQuantizer<Scalar>::traits(std::size_t n) const {
  const std::size_t largest = buckets_.largest(n);
  Traits traits;
  traits.unbiased = true;
  // omega grows with the size of a bucket, so the largest bucket bounds all of them.
  traits.omega = dither_worst_omega(norm_, largest, levels_);
  traits.omega_typical = dither_gaussian_omega(norm_, largest, levels_);
  if (traits.omega < 1.0) traits.contraction = 1.0 - traits.omega;
  return traits;
}

template <class Scalar>
CodecStatus DitherQuantizer<Scalar>::quantize(std::span<const Scalar> values, const QuantizeInput& input,
                                              std::span<std::byte> header,
                                              std::span<std::int32_t> codes) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const double norm = bucket_norm(norm_, values.subspan(begin, size));
    if (!std::isfinite(norm)) {
      write_scalar(header, bucket, static_cast<Scalar>(norm));
      std::ranges::fill(codes.subspan(begin, size), 0);
      if (status != CodecStatus::not_finite)
        status = std::isnan(norm) ? CodecStatus::not_finite : CodecStatus::saturated;
      return;
    }
    const auto step = dither_step<Scalar>(norm, code_);
    write_scalar(header, bucket, step.step);
    bucket_codes(values.subspan(begin, size), input.first + static_cast<std::uint32_t>(begin), step, code_,
                 input.key, codes.subspan(begin, size));
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
    else if (!std::isfinite(decoded(code_.levels, step, code_)) && status == CodecStatus::ok)
      status = CodecStatus::not_finite;
    if (code_.spacing == LevelSpacing::equal)
      for (std::size_t i = begin; i < begin + size; ++i) values[i] = static_cast<Scalar>(codes[i]) * step;
    else
      for (std::size_t i = begin; i < begin + size; ++i) values[i] = decoded(codes[i], step, code_);
  });
  return status;
}

template <class Scalar>
std::vector<Bracket> DitherQuantizer<Scalar>::brackets(std::span<const Scalar> values) const {
  std::vector<Bracket> brackets;
  bool encodable = true;
  buckets_.for_each(values.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto z = values.subspan(begin, size);
    const double norm = bucket_norm(norm_, z);
    encodable = encodable && std::isfinite(norm);
    if (!encodable) return;
    const auto step = dither_step<Scalar>(norm, code_);
    const std::int32_t unit = std::int32_t{1} << code_.fraction_bits;
    for (const Scalar value : z) {
      const std::int32_t fixed = fixed_point(value, step, code_);
      const std::int32_t low = fixed >> code_.fraction_bits;
      const std::int32_t high = std::min(low + 1, code_.levels);  // at the top the probability is 0
      brackets.push_back({static_cast<double>(decoded(low, step.step, code_)),
                          static_cast<double>(decoded(high, step.step, code_)),
                          static_cast<double>(fixed & (unit - 1)) / unit});
    }
  });
  if (!encodable) brackets.clear();
  return brackets;
}

template class DitherQuantizer<float>;
template class DitherQuantizer<double>;

}  // namespace hearsay
