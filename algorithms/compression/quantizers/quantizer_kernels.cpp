#include "algorithms/compression/quantizers/quantizer_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "algorithms/compression/quantizers/grid_rounding.hpp"

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/quantizers/quantizer_kernels.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

#include "algorithms/arithmetic/element_bits.inl"
#include "algorithms/compression/quantizers/exact_quotient.inl"

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors of doubles, and of as many floats and integers.
using Doubles = hn::ScalableTag<double>;
using Floats = hn::Rebind<float, Doubles>;
using Ints = hn::Rebind<std::int32_t, Doubles>;
using Words = hn::Rebind<std::uint32_t, Doubles>;

constexpr Doubles doubles;
constexpr Floats floats;
constexpr Ints ints;
constexpr Words words;

void NearestCodes(std::span<const float> z, float step, std::int32_t levels,
                  std::int32_t* HWY_RESTRICT codes) {
  const std::size_t lanes = hn::Lanes(doubles);
  const Divisor divisor(static_cast<double>(step));
  const auto most = hn::Set(doubles, static_cast<double>(levels));
  const auto least = hn::Neg(most);
  std::size_t i = 0;
  for (; i + lanes <= z.size(); i += lanes) {
    const auto ratio = divisor.Of(doubles, hn::PromoteTo(doubles, hn::LoadU(floats, z.data() + i)));
    const auto nearest = hn::Min(hn::Max(hn::Round(ratio), least), most);
    hn::StoreU(hn::DemoteTo(ints, nearest), ints, codes + i);
  }
  for (; i < z.size(); ++i) {
    const double nearest = std::nearbyint(static_cast<double>(z[i]) / static_cast<double>(step));
    codes[i] = static_cast<std::int32_t>(std::clamp<double>(nearest, -levels, levels));
  }
}

bool GridCodes(std::span<const float> z, double step, double largest_ratio, ElementKey key,
               std::uint32_t first, std::int32_t* HWY_RESTRICT codes) {
  const std::size_t lanes = hn::Lanes(doubles);
  const Divisor divisor(step);
  const auto limit = hn::Set(doubles, largest_ratio);
  const auto a = hn::Set(words, key.a);
  const auto b = hn::Set(words, key.b);
  const auto sign = hn::Set(words, 0x80000000u);
  const auto half = hn::Set(doubles, 0.5);
  const auto unit = hn::Set(doubles, 0x1p-32);
  auto index = hn::Iota(words, first);
  const auto index_step = hn::Set(words, static_cast<std::uint32_t>(lanes));
  // NaN is not below the limit. So the mask collects the lanes in range, not those out of range.
  auto in_range = hn::Lt(hn::Zero(doubles), limit);
  std::size_t i = 0;
  for (; i + lanes <= z.size(); i += lanes) {
    const auto ratio = divisor.Of(doubles, hn::PromoteTo(doubles, hn::LoadU(floats, z.data() + i)));
    const auto here = hn::Lt(hn::Abs(ratio), limit);
    in_range = hn::And(in_range, here);
    const auto whole = hn::Floor(ratio);
    // Converts 32 random bits as a signed number, then adds a half: exact.
    const auto bits = hn::BitCast(ints, hn::Xor(ElementBits(words, index, a, b), sign));
    const auto u = hn::Add(hn::Mul(hn::PromoteTo(doubles, bits), unit), half);
    const auto up = hn::IfThenElseZero(hn::Lt(u, hn::Sub(ratio, whole)), hn::Set(doubles, 1.0));
    // A value that does not fit an integer is not converted: in scalar code the conversion is undefined.
    const auto code = hn::IfThenElseZero(here, hn::Add(whole, up));
    hn::StoreU(hn::DemoteTo(ints, code), ints, codes + i);
    index = hn::Add(index, index_step);
  }
  bool ok = hn::AllTrue(doubles, in_range);
  for (; ok && i < z.size(); ++i) {
    const double ratio = static_cast<double>(z[i]) / step;
    ok = std::abs(ratio) < largest_ratio;
    const std::uint32_t u = element_bits(key, first + static_cast<std::uint32_t>(i));
    if (ok) codes[i] = static_cast<std::int32_t>(grid_position(ratio).rounded(u));
  }
  return ok;
}

bool GridValues(std::span<const std::int32_t> codes, double step, float* HWY_RESTRICT values) {
  const std::size_t lanes = hn::Lanes(doubles);
  const auto factor = hn::Set(doubles, step);
  auto largest = hn::Zero(floats);
  std::size_t i = 0;
  for (; i + lanes <= codes.size(); i += lanes) {
    const auto code = hn::PromoteTo(doubles, hn::LoadU(ints, codes.data() + i));
    const auto value = hn::DemoteTo(floats, hn::Mul(code, factor));
    largest = hn::Max(largest, hn::Abs(value));
    hn::StoreU(value, floats, values + i);
  }
  float most = hn::GetLane(hn::MaxOfLanes(floats, largest));
  for (; i < codes.size(); ++i) {
    values[i] = static_cast<float>(static_cast<double>(codes[i]) * step);
    most = std::max(most, std::abs(values[i]));
  }
  return most <= std::numeric_limits<float>::max();
}

using AllFloats = hn::ScalableTag<float>;
using AllInts = hn::RebindToSigned<AllFloats>;
constexpr AllFloats all_floats;
constexpr AllInts all_ints;

/// A number's bits grow with its logarithm to base 2, with at most `bend` too much between two powers of two.
/// So their distance from the largest magnitude says which of two neighboring levels is the nearest, and the
/// border between these two decides.
void LogCodes(std::span<const float> z, const LogBorders& borders, std::int32_t* HWY_RESTRICT codes) {
  constexpr double bend = 0.0861;
  constexpr double margin = 1e-3;  // beyond what rounding in float takes
  constexpr std::int32_t last = 62;
  const std::size_t lanes = hn::Lanes(all_floats);
  const double octaves = std::log2(static_cast<double>(borders.base));
  const double to_border = std::log2(2.0 / (1.0 + 1.0 / static_cast<double>(borders.base)));
  const auto scale = hn::Set(all_floats, static_cast<float>(0x1p-23 / octaves));
  const auto offset = hn::Set(all_floats, static_cast<float>(1.0 - (to_border + bend) / octaves - margin));
  const auto most = hn::Set(all_floats, static_cast<float>(last));
  const auto largest = hn::Set(all_ints, borders.largest);
  const auto behind_last = hn::Set(all_ints, borders.nearer_to_next[last]);
  const auto code_of = [&](hn::Vec<AllFloats> value) HWY_ATTR {
    const auto bits = hn::BitCast(all_ints, value);
    const auto size = hn::And(bits, hn::Set(all_ints, 0x7FFFFFFF));
    const auto distance = hn::ConvertTo(all_floats, hn::Sub(largest, size));
    const auto place = hn::MulAdd(distance, scale, offset);
    const auto guess = hn::ConvertTo(all_ints, hn::Min(hn::Max(place, hn::Zero(all_floats)), most));
    const auto border = hn::GatherIndex(all_ints, borders.nearer_to_next.data(), guess);
    const auto is_next = hn::VecFromMask(all_ints, hn::Gt(size, border));  // -1 if not
    const auto number = hn::Add(hn::Add(guess, hn::Set(all_ints, 2)), is_next);
    const auto sign = hn::BroadcastSignBit(bits);
    return hn::IfThenElseZero(hn::Gt(size, behind_last), hn::Sub(hn::Xor(number, sign), sign));
  };
  std::size_t i = 0;
  for (; i + lanes <= z.size(); i += lanes)
    hn::StoreU(code_of(hn::LoadU(all_floats, z.data() + i)), all_ints, codes + i);
  for (; i < z.size(); ++i) codes[i] = hn::GetLane(code_of(hn::Set(all_floats, z[i])));
}

using AllWords = hn::ScalableTag<std::uint32_t>;
constexpr AllWords all_words;

/// The upper half of a float is the bfloat16 below it in magnitude. The lower half is the fraction of the way
/// to the next one, which is reached by a carry. Returns the largest magnitude as a word.
template <bool nearest>
std::uint32_t Bf16Codes(std::span<const float> z, ElementKey key, std::uint32_t first, std::int32_t* codes) {
  const std::size_t lanes = hn::Lanes(all_words);
  const auto* const in = reinterpret_cast<const std::uint32_t*>(z.data());
  auto* HWY_RESTRICT out = reinterpret_cast<std::uint32_t*>(codes);
  const auto a = hn::Set(all_words, key.a);
  const auto b = hn::Set(all_words, key.b);
  const auto magnitude_mask = hn::Set(all_words, 0x7FFFFFFFu);
  auto index = hn::Iota(all_words, first);
  const auto index_step = hn::Set(all_words, static_cast<std::uint32_t>(lanes));
  auto largest = hn::Zero(all_words);
  std::size_t i = 0;
  for (; i + lanes <= z.size(); i += lanes) {
    const auto word = hn::LoadU(all_words, in + i);
    largest = hn::Max(largest, hn::And(word, magnitude_mask));
    if constexpr (nearest) {
      const auto odd = hn::And(hn::ShiftRight<16>(word), hn::Set(all_words, 1u));
      const auto raised = hn::Add(word, hn::Add(odd, hn::Set(all_words, 0x7FFFu)));
      hn::StoreU(hn::ShiftRight<16>(raised), all_words, out + i);
    } else {
      // Rounds up if the upper half of the random number is below the lower half of the float.
      const auto random = hn::ShiftRight<16>(ElementBits(all_words, index, a, b));
      const auto raised = hn::Add(word, hn::Sub(hn::Set(all_words, 0xFFFFu), random));
      hn::StoreU(hn::ShiftRight<16>(raised), all_words, out + i);
      index = hn::Add(index, index_step);
    }
  }
  std::uint32_t most = hn::GetLane(hn::MaxOfLanes(all_words, largest));
  for (; i < z.size(); ++i) {
    const auto word = std::bit_cast<std::uint32_t>(z[i]);
    most = std::max(most, word & 0x7FFFFFFF);
    const std::uint32_t random = element_bits(key, first + static_cast<std::uint32_t>(i)) >> 16;
    const std::uint32_t added = nearest ? 0x7FFF + (word >> 16 & 1) : 0xFFFF - random;
    out[i] = (word + added) >> 16;
  }
  return most;
}

bool Bf16CodesEither(std::span<const float> z, bool nearest, ElementKey key, std::uint32_t first,
                     std::int32_t* codes) {
  const std::uint32_t most =
      nearest ? Bf16Codes<true>(z, key, first, codes) : Bf16Codes<false>(z, key, first, codes);
  return most <= 0x7F7F0000u;
}

bool Bf16Values(std::span<const std::int32_t> codes, float* values) {
  const std::size_t lanes = hn::Lanes(all_words);
  const auto* const in = reinterpret_cast<const std::uint32_t*>(codes.data());
  auto* HWY_RESTRICT out = reinterpret_cast<std::uint32_t*>(values);
  const auto magnitude_mask = hn::Set(all_words, 0x7FFFu);
  auto largest = hn::Zero(all_words);
  std::size_t i = 0;
  for (; i + lanes <= codes.size(); i += lanes) {
    const auto code = hn::LoadU(all_words, in + i);
    largest = hn::Max(largest, hn::And(code, magnitude_mask));
    hn::StoreU(hn::ShiftLeft<16>(code), all_words, out + i);
  }
  std::uint32_t most = hn::GetLane(hn::MaxOfLanes(all_words, largest));
  for (; i < codes.size(); ++i) {
    most = std::max(most, in[i] & 0x7FFF);
    values[i] = std::bit_cast<float>(in[i] << 16);
  }
  return most < 0x7F80;
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(NearestCodes);
HWY_EXPORT(GridCodes);
HWY_EXPORT(GridValues);
HWY_EXPORT(LogCodes);
HWY_EXPORT(Bf16CodesEither);
HWY_EXPORT(Bf16Values);
}  // namespace

void nearest_codes_fast(std::span<const float> z, float step, std::int32_t levels,
                        std::span<std::int32_t> codes) {
  HWY_DYNAMIC_DISPATCH(NearestCodes)(z, step, levels, codes.data());
}

bool grid_codes_fast(std::span<const float> z, double step, double largest_ratio, ElementKey key,
                     std::uint32_t first, std::span<std::int32_t> codes) {
  return HWY_DYNAMIC_DISPATCH(GridCodes)(z, step, largest_ratio, key, first, codes.data());
}

bool grid_values_fast(std::span<const std::int32_t> codes, double step, std::span<float> values) {
  return HWY_DYNAMIC_DISPATCH(GridValues)(codes, step, values.data());
}

void log_codes_fast(std::span<const float> z, const LogBorders& borders, std::span<std::int32_t> codes) {
  HWY_DYNAMIC_DISPATCH(LogCodes)(z, borders, codes.data());
}

bool bf16_codes_fast(std::span<const float> z, bool nearest, ElementKey key, std::uint32_t first,
                     std::span<std::int32_t> codes) {
  return HWY_DYNAMIC_DISPATCH(Bf16CodesEither)(z, nearest, key, first, codes.data());
}

bool bf16_values_fast(std::span<const std::int32_t> codes, std::span<float> values) {
  return HWY_DYNAMIC_DISPATCH(Bf16Values)(codes, values.data());
}

}  // namespace hearsay
#endif
