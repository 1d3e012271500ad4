#include "algorithms/compression/dither_bucket.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "algorithms/compression/places.hpp"

namespace hearsay {

namespace {

/// sign(a b - c), exactly.
template <class Scalar>
int compare_product(Scalar a, Scalar b, double c) {
  // float: the product of two 24-bit significands is exact in double. double: the fused form rounds once, and
  // a result that is not 0 keeps its sign (nothing here comes near the subnormals, see `lift`).
  const double difference = sizeof(Scalar) == 4
                                ? static_cast<double>(a) * static_cast<double>(b) - c
                                : std::fma(static_cast<double>(a), static_cast<double>(b), -c);
  return (difference > 0.0) - (difference < 0.0);
}

/// The neighbor of a positive number below or above it: std::nextafter costs more than all else in
/// dither_step.
template <class Scalar>
Scalar neighbor(Scalar x, int direction) {
  using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Scalar>(std::bit_cast<Bits>(x) + static_cast<Bits>(direction));
}

/// Nearest integer, ties to even, of |x| < 2^31: adding 1.5 2^52 leaves it in the low bits of the sum.
std::int32_t nearest_integer(double x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x + 0x1.8p52)));
}

}  // namespace

DitherCode::DitherCode(std::int32_t level_count)
    : levels(level_count),
      bits(static_cast<unsigned>(std::bit_width(2u * static_cast<unsigned>(level_count)))),
      fraction_bits(
          std::min(24u, 31u - static_cast<unsigned>(std::bit_width(static_cast<unsigned>(level_count))))) {}

template <class Scalar>
DitherStep<Scalar> dither_step(double norm, const DitherCode& code) {
  using Limits = std::numeric_limits<Scalar>;
  if (norm == 0.0) return {Scalar(0), Scalar(0), Scalar(1)};
  const auto levels = static_cast<Scalar>(code.levels);
  // Below this the gain could overflow: everything is multiplied by a power of two, exactly.
  const double smallest = sizeof(Scalar) == 4 ? 0x1p-90 : 0x1p-900;
  const double ladder = sizeof(Scalar) == 4 ? 0x1p96 : 0x1p960;
  const bool lifted = norm < smallest * code.levels;
  const auto lift = static_cast<Scalar>(lifted ? ladder : 1.0);

  auto step = static_cast<Scalar>(norm / code.levels);
  // Compared after lifting, where products are exact.
  const double target = norm * static_cast<double>(lift);
  if (step >= Limits::min()) {
    while (compare_product<Scalar>(step * lift, levels, target) > 0) step = neighbor(step, -1);
  } else {
    while (compare_product<Scalar>(step * lift, levels, target) < 0) step = neighbor(step, +1);
  }
  const double one = static_cast<double>(std::uint32_t{1} << code.fraction_bits);
  auto gain = static_cast<Scalar>(one / static_cast<double>(step * lift));
  while (compare_product<Scalar>(gain, step * lift, one) < 0) gain = neighbor(gain, +1);
  return {step, gain, lift};
}

std::int32_t read_code(std::span<const std::byte> bytes, const DitherCode& code, std::size_t index) {
  // Sign extension of the low `bits`.
  const unsigned spare = 32 - code.bits;
  return static_cast<std::int32_t>(read_place(bytes, code.bits, index) << spare) >> spare;
}

void write_code(std::span<std::byte> bytes, const DitherCode& code, std::size_t index, std::int32_t q) {
  write_place(bytes, code.bits, index, static_cast<std::uint32_t>(q) & ((1u << code.bits) - 1));
}

template <class Scalar>
std::int32_t fixed_point(Scalar z, const DitherStep<Scalar>& step, const DitherCode& code) {
  const Scalar product = z * step.lift * step.gain;
  const std::int32_t limit = code.levels << code.fraction_bits;
  return std::clamp(nearest_integer(static_cast<double>(product)), -limit, limit);
}

template <class Scalar>
std::int32_t random_code(Scalar z, const DitherStep<Scalar>& step, const DitherCode& code, ElementKey key,
                         std::uint32_t index) {
  const std::uint32_t u = element_bits(key, index) >> (32 - code.fraction_bits);
  return (fixed_point(z, step, code) + static_cast<std::int32_t>(u)) >> code.fraction_bits;
}

template <class Scalar>
void encode_bucket(const DitherBucket<Scalar>& bucket, const DitherCode& code, ElementKey key) {
  std::fill(bucket.bytes.begin(), bucket.bytes.end(), std::byte{0});
  for (std::size_t i = 0; i < bucket.z.size(); ++i) {
    const std::uint32_t index = bucket.first + static_cast<std::uint32_t>(i);
    const std::int32_t q = random_code(bucket.z[i], bucket.step, code, key, index);
    write_code(bucket.bytes, code, i, q);
    if (bucket.into) bucket.into[i] += static_cast<Scalar>(q) * bucket.step.step;
  }
}

template <class Scalar>
void accumulate_bucket(std::span<const std::byte> bytes, const DitherCode& code, Scalar step, Scalar scale,
                       std::span<Scalar> into) {
  for (std::size_t i = 0; i < into.size(); ++i)
    into[i] += scale * (static_cast<Scalar>(read_code(bytes, code, i)) * step);
}

bool bucket_valid(std::span<const std::byte> bytes, const DitherCode& code, std::size_t size) {
  if (!unused_places_are_zero(bytes, code.bits, size)) return false;
  for (std::size_t i = 0; i < size; ++i)
    if (std::abs(read_code(bytes, code, i)) > code.levels) return false;
  return true;
}

#define HEARSAY_INSTANTIATE(Scalar)                                                                      \
  template DitherStep<Scalar> dither_step<Scalar>(double, const DitherCode&);                            \
  template std::int32_t fixed_point<Scalar>(Scalar, const DitherStep<Scalar>&, const DitherCode&);       \
  template std::int32_t random_code<Scalar>(Scalar, const DitherStep<Scalar>&, const DitherCode&,        \
                                            ElementKey, std::uint32_t);                                  \
  template void encode_bucket<Scalar>(const DitherBucket<Scalar>&, const DitherCode&, ElementKey);       \
  template void accumulate_bucket<Scalar>(std::span<const std::byte>, const DitherCode&, Scalar, Scalar, \
                                          std::span<Scalar>);
HEARSAY_INSTANTIATE(float)
HEARSAY_INSTANTIATE(double)
#undef HEARSAY_INSTANTIATE

}  // namespace hearsay
