#include "algorithms/compression/quantizers/dither_bucket.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "algorithms/compression/quantizers/places.hpp"

namespace hearsay {

namespace {

/// The unit of places if levels are not equally spaced; there are at most 127 levels then.
constexpr std::int32_t unit = std::int32_t{1} << 24;

/// Returns the sign of a b - c (-1, 0 or 1), exactly.
template <class Scalar>
int compare_product(Scalar a, Scalar b, double c) {
  // float: the product of two 24-bit significands is exact in double. double: the fused form rounds once, and
  // a result that is not 0 keeps its sign (`lift` keeps all results away from the subnormals).
  const double difference = sizeof(Scalar) == 4
                                ? static_cast<double>(a) * static_cast<double>(b) - c
                                : std::fma(static_cast<double>(a), static_cast<double>(b), -c);
  return (difference > 0.0) - (difference < 0.0);
}

/// Returns the next Scalar above (+1) or below (-1) a positive one. std::nextafter would cost more than the
/// rest of dither_step.
template <class Scalar>
Scalar neighbor(Scalar x, int direction) {
  using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Scalar>(std::bit_cast<Bits>(x) + static_cast<Bits>(direction));
}

/// Returns the integer nearest to x, ties to even, for |x| < 2^31. Adding 1.5 2^52 leaves that integer in the
/// low bits of the sum.
std::int32_t nearest_integer(double x) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(x + 0x1.8p52)));
}

/// The step for levels that are not equally spaced: the norm.
template <class Scalar>
DitherStep<Scalar> step_of_norm(double exact, const DitherCode& code) {
  auto norm = static_cast<Scalar>(exact);
  if (static_cast<double>(norm) < exact) norm = neighbor(norm, +1);
  const bool powers = code.spacing == LevelSpacing::powers_of_two;
  return {norm, powers ? std::ldexp(Scalar(1), code.levels - 1) : Scalar(1), Scalar(1)};
}

/// The place of a ratio r among powers of two; `gain` is 1 over the smallest.
std::int32_t place_among_powers(double ratio, double gain) {
  const double scaled = ratio * gain;
  if (scaled < 1.0) return nearest_integer(scaled * unit);
  int number = 0;
  const double mantissa = 2.0 * std::frexp(scaled, &number);
  return number * unit + nearest_integer((mantissa - 1.0) * unit);
}

/// The place of a ratio r in a list of levels, 0 to 1.
template <class Scalar>
std::int32_t place_in_list(Scalar ratio, const std::vector<double>& levels) {
  // Counts over all levels: a processor cannot predict where a search would stop.
  std::size_t j = 0;
  for (std::size_t k = 1; k < levels.size(); ++k) j += static_cast<Scalar>(levels[k]) <= ratio;
  const std::int32_t place = static_cast<std::int32_t>(j) * unit;
  if (j + 1 == levels.size()) return place;
  const auto below = static_cast<double>(static_cast<Scalar>(levels[j]));
  const auto above = static_cast<double>(static_cast<Scalar>(levels[j + 1]));
  return place + nearest_integer((static_cast<double>(ratio) - below) / (above - below) * unit);
}

}  // namespace

DitherCode::DitherCode(const LevelSet& set)
    : levels(set.count()),
      spacing(set.spacing()),
      bits(static_cast<unsigned>(std::bit_width(2u * static_cast<unsigned>(levels)))),
      fraction_bits(
          std::min(24u, 31u - static_cast<unsigned>(std::bit_width(static_cast<unsigned>(levels))))) {
  if (spacing != LevelSpacing::equal) values = set.levels();
}

template <class Scalar>
DitherStep<Scalar> dither_step(double norm, const DitherCode& code) {
  if (code.spacing != LevelSpacing::equal) return step_of_norm<Scalar>(norm, code);
  using Limits = std::numeric_limits<Scalar>;
  if (norm == 0.0) return {Scalar(0), Scalar(0), Scalar(1)};
  const auto levels = static_cast<Scalar>(code.levels);
  // Below this the gain could overflow. So everything is multiplied by a power of two, exactly.
  const double smallest = sizeof(Scalar) == 4 ? 0x1p-90 : 0x1p-900;
  const double ladder = sizeof(Scalar) == 4 ? 0x1p96 : 0x1p960;
  const bool lifted = norm < smallest * code.levels;
  const auto lift = static_cast<Scalar>(lifted ? ladder : 1.0);

  auto step = static_cast<Scalar>(norm / code.levels);
  // Compared after lifting, since products are exact there.
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
  if (code.spacing != LevelSpacing::equal) {
    const Scalar ratio = step.step == Scalar(0) ? Scalar(0) : std::abs(z) / step.step;
    const std::int32_t place =
        code.spacing == LevelSpacing::listed
            ? place_in_list(ratio, code.values)
            : place_among_powers(static_cast<double>(ratio), static_cast<double>(step.gain));
    return std::signbit(z) ? -place : place;
  }
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
Scalar decoded(std::int32_t q, Scalar step, const DitherCode& code) {
  if (code.spacing == LevelSpacing::equal) return static_cast<Scalar>(q) * step;
  const auto level = static_cast<Scalar>(code.values[static_cast<std::size_t>(std::abs(q))]);
  return std::copysign(level, static_cast<Scalar>(q)) * step;
}

template <class Scalar>
void encode_bucket(const DitherBucket<Scalar>& bucket, const DitherCode& code, ElementKey key) {
  std::fill(bucket.bytes.begin(), bucket.bytes.end(), std::byte{0});
  for (std::size_t i = 0; i < bucket.z.size(); ++i) {
    const std::uint32_t index = bucket.first + static_cast<std::uint32_t>(i);
    const std::int32_t q = random_code(bucket.z[i], bucket.step, code, key, index);
    write_code(bucket.bytes, code, i, q);
    if (bucket.into) bucket.into[i] += decoded(q, bucket.step.step, code);
  }
}

template <class Scalar>
void accumulate_bucket(std::span<const std::byte> bytes, const DitherCode& code, Scalar step, Scalar scale,
                       std::span<Scalar> into) {
  for (std::size_t i = 0; i < into.size(); ++i)
    into[i] += scale * decoded(read_code(bytes, code, i), step, code);
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
  template Scalar decoded<Scalar>(std::int32_t, Scalar, const DitherCode&);                              \
  template void encode_bucket<Scalar>(const DitherBucket<Scalar>&, const DitherCode&, ElementKey);       \
  template void accumulate_bucket<Scalar>(std::span<const std::byte>, const DitherCode&, Scalar, Scalar, \
                                          std::span<Scalar>);
HEARSAY_INSTANTIATE(float)
HEARSAY_INSTANTIATE(double)
#undef HEARSAY_INSTANTIATE

}  // namespace hearsay
