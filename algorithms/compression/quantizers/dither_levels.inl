// Part of each kernel that dithers, compiled once per instruction set. Include it after <hwy/highway.h>,
// outside of all namespaces.
#if defined(HEARSAY_DITHER_LEVELS_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef HEARSAY_DITHER_LEVELS_INL
#undef HEARSAY_DITHER_LEVELS_INL
#else
#define HEARSAY_DITHER_LEVELS_INL
#endif

#include "algorithms/arithmetic/element_bits.inl"

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;

constexpr Floats floats;
constexpr Ints ints;
constexpr Words words;

/// The fraction bits of codes of up to 8 bits, whose levels are at most 127.
constexpr int fraction_bits = 24;

/// Returns the nearest integers (ties to even) of x clipped to [-limit, limit]; limits are below 2^31.
HWY_INLINE hn::Vec<Ints> NearestWithin(hn::Vec<Floats> x, hn::Vec<Floats> limit) {
  // hn::NearestInt corrects results beyond an int32, which takes four more instructions. Here no result is
  // beyond.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  constexpr int smaller_magnitude_with_sign = 2;
  return hn::Vec<Ints>{_mm512_cvtps_epi32(_mm512_range_ps(x.raw, limit.raw, smaller_magnitude_with_sign))};
#else
  const auto clipped = hn::Min(hn::Max(x, hn::Neg(limit)), limit);
#if HWY_TARGET == HWY_AVX2
  return hn::Vec<Ints>{_mm256_cvtps_epi32(clipped.raw)};
#else
  return hn::NearestInt(clipped);
#endif
#endif
}

// The two spacings of levels. Place: a value to its place R 2^fraction_bits. Value: a code to its value. See
// dither_bucket.hpp.

struct EqualSteps {
  EqualSteps(const DitherStep<float>& of, const DitherCode& code)
      : step(of.step), gain(of.gain), limit(static_cast<float>(code.levels << fraction_bits)) {}

  HWY_INLINE hn::Vec<Ints> Place(hn::Vec<Floats> z) const {
    return NearestWithin(hn::Mul(z, hn::Set(floats, gain)), hn::Set(floats, limit));
  }
  HWY_INLINE hn::Vec<Floats> Value(hn::Vec<Ints> q) const {
    return hn::Mul(hn::ConvertTo(floats, q), hn::Set(floats, step));
  }

  float step;
  float gain;
  float limit;
};

struct PowersOfTwo {
  PowersOfTwo(const DitherStep<float>& of, const DitherCode& code)
      : step(of.step),
        divisor(of.step == 0.0f ? 1.0f : of.step),
        gain(of.gain),
        one_below_first(127 - code.levels) {}

  HWY_INLINE hn::Vec<Ints> Place(hn::Vec<Floats> z) const {
    const auto ratio = hn::Div(hn::Abs(z), hn::Set(floats, divisor));
    // Below the smallest level the place rises on a straight line. From there on, the exponent and the
    // mantissa of a float are the number of the level and the place between it and the next. The line is
    // clipped at the smallest level, and below it the line is above the octaves: so the larger of the two is
    // the place.
    const auto below_first = hn::Min(hn::Mul(ratio, hn::Set(floats, gain)), hn::Set(floats, 1.0f));
    const auto line = NearestWithin(hn::Mul(below_first, hn::Set(floats, unit)), hn::Set(floats, unit));
    const auto octaves = hn::Sub(hn::BitCast(ints, ratio), hn::Set(ints, one_below_first << 23));
    const auto place = hn::Max(line, hn::ShiftLeft<fraction_bits - 23>(octaves));
    const auto negative = hn::BroadcastSignBit(hn::BitCast(ints, z));
    return hn::Sub(hn::Xor(place, negative), negative);
  }
  HWY_INLINE hn::Vec<Floats> Value(hn::Vec<Ints> q) const {
    const auto exponent = hn::ShiftLeft<23>(hn::Add(hn::Abs(q), hn::Set(ints, one_below_first)));
    const auto level = hn::Or(exponent, hn::And(q, hn::Set(ints, std::numeric_limits<std::int32_t>::min())));
    const auto level_or_zero = hn::IfThenZeroElse(hn::Eq(q, hn::Zero(ints)), level);
    return hn::Mul(hn::BitCast(floats, level_or_zero), hn::Set(floats, step));
  }

  static constexpr float unit = 1 << fraction_bits;
  float step;
  float divisor;
  float gain;
  std::int32_t one_below_first;  ///< the exponent field one below that of the smallest level
};

/// random_code of each z, whose elements have these indices; a and b are those of the key, in all lanes.
template <class Levels>
HWY_INLINE hn::Vec<Ints> RandomCodes(const Levels& levels, hn::Vec<Floats> z, hn::Vec<Words> index,
                                     hn::Vec<Words> a, hn::Vec<Words> b) {
  const auto u = hn::BitCast(ints, hn::ShiftRight<32 - fraction_bits>(ElementBits(words, index, a, b)));
  return hn::ShiftRight<fraction_bits>(hn::Add(levels.Place(z), u));
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
