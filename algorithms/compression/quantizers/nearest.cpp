#include "algorithms/compression/quantizers/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/quantizers/dither_norm.hpp"
#include "algorithms/compression/quantizers/quantizer_kernels.hpp"
#include "algorithms/compression/seam/scale_status.hpp"

namespace hearsay {

template <class Scalar>
std::unique_ptr<Quantizer<Scalar>> Nearest<Scalar>::parse(const StageSpelling& stage,
                                                          const SegmentTable& segments) {
  const Arguments arguments(stage, {"bits", {"bits", "bucket"}, {}});
  const auto bits = arguments.count("bits", 2, 16);
  if (!bits) arguments.refuse("bits", "bits=, the width of a code");
  return std::make_unique<Nearest>(static_cast<unsigned>(*bits), Buckets::parse(arguments, segments, "512"));
}

template <class Scalar>
Nearest<Scalar>::Nearest(unsigned bits, Buckets buckets)
    : code_(LevelSet::uniform((1 << (bits - 1)) - 1)), buckets_(std::move(buckets)) {}

template <class Scalar>
std::string Nearest<Scalar>::spelling() const {
  return "nearest(bits=" + std::to_string(code_.bits) + ", bucket=" + buckets_.spelling() + ")";
}

template <class Scalar>
Traits Nearest<Scalar>::traits(std::size_t n) const {
  Traits traits;
  const auto others = static_cast<double>(std::max<std::size_t>(buckets_.largest(n), 1) - 1);
  traits.contraction = 1.0 / (1.0 + others / (4.0 * code_.levels * code_.levels));
  traits.deterministic = true;
  return traits;
}

template <class Scalar>
std::int32_t Nearest<Scalar>::code_of(Scalar value, Scalar step) const {
  if (step == Scalar(0)) return 0;
  const double nearest = std::nearbyint(static_cast<double>(value) / static_cast<double>(step));
  return static_cast<std::int32_t>(std::clamp<double>(nearest, -code_.levels, code_.levels));
}

template <class Scalar>
CodecStatus Nearest<Scalar>::quantize(std::span<const Scalar> values, const QuantizeInput&,
                                      std::span<std::byte> header, std::span<std::int32_t> codes) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const double norm = bucket_norm(DitherNorm::linf, values.subspan(begin, size));
    if (!std::isfinite(norm)) {
      write_scalar(header, bucket, static_cast<Scalar>(norm));
      std::ranges::fill(codes.subspan(begin, size), 0);
      status = CodecStatus::not_finite;
      return;
    }
    const Scalar step = dither_step<Scalar>(norm, code_).step;
    write_scalar(header, bucket, step);
    if constexpr (std::is_same_v<Scalar, float>)
      if (step > 0.0f)
        return nearest_codes_fast(values.subspan(begin, size), step, code_.levels,
                                  codes.subspan(begin, size));
    for (std::size_t i = begin; i < begin + size; ++i) codes[i] = code_of(values[i], step);
  });
  return status;
}

template <class Scalar>
CodecStatus Nearest<Scalar>::reconstruct(std::span<const std::byte> header,
                                         std::span<const std::int32_t> codes,
                                         std::span<Scalar> values) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto step = read_scalar<Scalar>(header, bucket);
    status = worse(status, status_of_scale(step * static_cast<Scalar>(code_.levels)));
    for (std::size_t i = begin; i < begin + size; ++i) values[i] = static_cast<Scalar>(codes[i]) * step;
  });
  return status;
}

template <class Scalar>
std::vector<Bracket> Nearest<Scalar>::brackets(std::span<const Scalar> values) const {
  std::vector<Bracket> brackets;
  bool finite = true;
  buckets_.for_each(values.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const double norm = bucket_norm(DitherNorm::linf, values.subspan(begin, size));
    finite = finite && std::isfinite(norm);
    if (!finite) return;
    const Scalar step = dither_step<Scalar>(norm, code_).step;
    for (const Scalar value : values.subspan(begin, size)) {
      const auto decoded = static_cast<double>(static_cast<Scalar>(code_of(value, step)) * step);
      brackets.push_back({decoded, decoded, 0.0});
    }
  });
  if (!finite) brackets.clear();
  return brackets;
}

template class Nearest<float>;
template class Nearest<double>;

}  // namespace hearsay
