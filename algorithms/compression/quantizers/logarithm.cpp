#include "algorithms/compression/quantizers/logarithm.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/quantizers/dither_norm.hpp"
#include "algorithms/compression/quantizers/quantizer_kernels.hpp"
#include "algorithms/compression/seam/scale_status.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

template <class Scalar>
std::unique_ptr<Quantizer<Scalar>> Logarithm<Scalar>::parse(const StageSpelling& stage,
                                                            const SegmentTable& segments) {
  const Arguments arguments(stage, {"base", {"base", "bucket"}, {}});
  const double base = arguments.positive("base").value_or(2.0);
  if (!(base > 1.0 && base <= 16.0)) arguments.refuse("base", "a number above 1 and at most 16");
  return std::make_unique<Logarithm>(base, Buckets::parse(arguments, segments, "whole"));
}

template <class Scalar>
Logarithm<Scalar>::Logarithm(double base, Buckets buckets) : base_(base), buckets_(std::move(buckets)) {
  double level = 1.0;
  for (std::size_t k = 0; k < levels_.size(); ++k, level /= base) {
    levels_[k] = level;
    if (k > 0) midpoints_[k - 1] = 0.5 * (levels_[k - 1] + level);
  }
  midpoints_.back() = 0.5 * levels_.back();
}

template <class Scalar>
std::string Logarithm<Scalar>::spelling() const {
  return "log(base=" + number_text(base_) + ", bucket=" + buckets_.spelling() + ")";
}

template <class Scalar>
Traits Logarithm<Scalar>::traits(std::size_t n) const {
  Traits traits;
  const auto others = static_cast<double>(std::max<std::size_t>(buckets_.largest(n), 1) - 1);
  const double kept = (base_ - 1.0) / (base_ + 1.0);
  const double flushed = others * midpoints_.back() * midpoints_.back();
  traits.contraction = others == 0.0 ? 1.0 : 1.0 - std::max(kept * kept, flushed / (1.0 + flushed));
  traits.deterministic = true;
  return traits;
}

template <class Scalar>
std::int32_t Logarithm<Scalar>::code_of(Scalar value, double largest) const {
  if (value == Scalar(0)) return 0;
  const double ratio = std::abs(static_cast<double>(value)) / largest;
  // Counts the midpoints that are not below the ratio, by bisection without branches: a processor could not
  // predict them.
  static_assert(level_count == 63);
  std::size_t above = 0;
  for (std::size_t half = 32; half > 0; half /= 2) above += half * (ratio <= midpoints_[above + half - 1]);
  if (above == level_count) return 0;
  const auto exponent = static_cast<std::int32_t>(above);
  return value < Scalar(0) ? -(exponent + 1) : exponent + 1;
}

template <class Scalar>
bool Logarithm<Scalar>::quantize_fast(std::span<const Scalar> values, double largest,
                                      std::span<std::int32_t> codes) const {
  if constexpr (std::is_same_v<Scalar, float>) {
    constexpr std::size_t many = 1024;  // fewer are quantized before their borders are found
    const double last = midpoints_.back() * largest;
    if (values.size() < many || base_ < static_cast<double>(least_log_base) || !std::isfinite(largest) ||
        last < 2.0 * static_cast<double>(std::numeric_limits<float>::min()))
      return false;
    LogBorders borders{
        {}, std::bit_cast<std::int32_t>(static_cast<float>(largest)), static_cast<float>(base_)};
    for (std::size_t k = 0; k < midpoints_.size(); ++k) {
      const auto is_nearer = [&](float size) { return static_cast<double>(size) / largest <= midpoints_[k]; };
      auto border = static_cast<float>(midpoints_[k] * largest);
      while (!is_nearer(border)) border = std::nextafter(border, 0.0f);
      for (float above = border; is_nearer(above); above = std::nextafter(above, 2.0f * above))
        border = above;
      borders.nearer_to_next[k] = std::bit_cast<std::int32_t>(border);
    }
    log_codes_fast(values, borders, codes);
    return true;
  }
  return false;
}

template <class Scalar>
Scalar Logarithm<Scalar>::value_of(std::int32_t code, Scalar largest) const {
  if (code == 0) return Scalar(0);
  const double size = static_cast<double>(largest) * levels_[static_cast<std::size_t>(std::abs(code)) - 1];
  return static_cast<Scalar>(code < 0 ? -size : size);
}

template <class Scalar>
CodecStatus Logarithm<Scalar>::quantize(std::span<const Scalar> values, const QuantizeInput&,
                                        std::span<std::byte> header, std::span<std::int32_t> codes) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const double largest = bucket_norm(DitherNorm::linf, values.subspan(begin, size));
    write_scalar(header, bucket, static_cast<Scalar>(largest));
    if (!std::isfinite(largest)) status = CodecStatus::not_finite;
    if (quantize_fast(values.subspan(begin, size), largest, codes.subspan(begin, size))) return;
    for (std::size_t i = begin; i < begin + size; ++i)
      codes[i] = std::isfinite(largest) ? code_of(values[i], largest) : 0;
  });
  return status;
}

template <class Scalar>
CodecStatus Logarithm<Scalar>::reconstruct(std::span<const std::byte> header,
                                           std::span<const std::int32_t> codes,
                                           std::span<Scalar> values) const {
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(values.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto largest = read_scalar<Scalar>(header, bucket);
    status = worse(status, status_of_scale(largest));
    const auto bucket_codes = codes.subspan(begin, size);
    if (largest == Scalar(0) &&
        std::ranges::any_of(bucket_codes, [](std::int32_t code) { return code != 0; }))
      status = CodecStatus::malformed;
    // If there are more coordinates than codes, a table saves time: the value of each code is computed once.
    std::array<Scalar, 2 * level_count + 1> table;
    if (size < table.size()) {
      for (std::size_t i = begin; i < begin + size; ++i) values[i] = value_of(codes[i], largest);
      return;
    }
    for (std::int32_t code = -level_count; code <= level_count; ++code)
      table[static_cast<std::size_t>(code + level_count)] = value_of(code, largest);
    for (std::size_t i = begin; i < begin + size; ++i)
      values[i] = table[static_cast<std::size_t>(codes[i] + level_count)];
  });
  return status;
}

template <class Scalar>
std::vector<Bracket> Logarithm<Scalar>::brackets(std::span<const Scalar> values) const {
  std::vector<Bracket> brackets;
  bool finite = true;
  buckets_.for_each(values.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const double largest = bucket_norm(DitherNorm::linf, values.subspan(begin, size));
    finite = finite && std::isfinite(largest);
    if (!finite) return;
    for (const Scalar value : values.subspan(begin, size)) {
      const auto decoded =
          static_cast<double>(value_of(code_of(value, largest), static_cast<Scalar>(largest)));
      brackets.push_back({decoded, decoded, 0.0});
    }
  });
  if (!finite) brackets.clear();
  return brackets;
}

template class Logarithm<float>;
template class Logarithm<double>;

}  // namespace hearsay
