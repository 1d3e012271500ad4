#include "algorithms/compression/quantizers/dither_kernels.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <type_traits>

#include "algorithms/compression/quantizers/dither_stream.hpp"

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#include <hwy/cache_control.h>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/quantizers/dither_kernels.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

#include "algorithms/compression/quantizers/dither_levels.inl"

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

/// Prefetches the floats that are read one batch later. Harmless beyond the end of the vector.
HWY_INLINE void PrefetchAhead(const float* z) {
  const auto address = reinterpret_cast<std::uintptr_t>(z) + dither_batch_floats * sizeof(float);
  hwy::Prefetch(reinterpret_cast<const float*>(address));
}

float LargestMagnitude(const float* HWY_RESTRICT z, std::size_t size) {
  // Magnitudes are compared as integers: these are ordered as the numbers are, with Inf and NaN above them
  // all.
  const std::size_t lanes = hn::Lanes(floats);
  const auto magnitude_mask = hn::Set(ints, 0x7FFFFFFF);
  auto largest0 = hn::Zero(ints);
  auto largest1 = hn::Zero(ints);
  std::size_t i = 0;
  for (; i + 2 * lanes <= size; i += 2 * lanes) {
    largest0 = hn::Max(largest0, hn::And(hn::BitCast(ints, hn::LoadU(floats, z + i)), magnitude_mask));
    largest1 =
        hn::Max(largest1, hn::And(hn::BitCast(ints, hn::LoadU(floats, z + i + lanes)), magnitude_mask));
  }
  std::int32_t largest = hn::GetLane(hn::MaxOfLanes(ints, hn::Max(largest0, largest1)));
  for (; i < size; ++i) largest = std::max(largest, std::bit_cast<std::int32_t>(z[i]) & 0x7FFFFFFF);
  const float magnitude = std::bit_cast<float>(largest);
  return magnitude <= std::numeric_limits<float>::max() ? magnitude : std::numeric_limits<float>::quiet_NaN();
}

/// Packs one byte of codes in each lane: the codes of `planes` elements, which lie a plane apart in the
/// bucket.
template <int bits, bool apply, class Levels>
void Encode(const DitherBucket<float>& bucket, const DitherCode& code, ElementKey key) {
  const float* HWY_RESTRICT z = bucket.z.data();
  float* HWY_RESTRICT into = bucket.into;
  const std::size_t size = bucket.z.size();
  const std::span<std::byte> bytes = bucket.bytes;
  const DitherStep<float> step = bucket.step;
  const std::uint32_t first = bucket.first;
  constexpr int planes = 8 / bits;
  const hn::Rebind<std::uint8_t, Words> byte_lanes;
  const std::size_t lanes = hn::Lanes(floats);
  const std::size_t plane = bytes.size();
  // The last plane may be shorter. From its end on, the loop below goes element by element.
  const std::size_t whole = (planes - 1) * plane < size ? size - (planes - 1) * plane : 0;

  const Levels levels(step, code);
  const auto a = hn::Set(words, key.a);
  const auto b = hn::Set(words, key.b);
  const auto code_mask = hn::Set(words, (1u << bits) - 1);
  auto index = hn::Iota(words, first);
  const auto index_step = hn::Set(words, static_cast<std::uint32_t>(lanes));
  auto* out = reinterpret_cast<std::uint8_t*>(bytes.data());

  std::size_t j = 0;
  for (; j + lanes <= whole; j += lanes) {
    auto packed = hn::Zero(words);
    const auto encode_plane = [&](auto number) HWY_ATTR {
      constexpr int p = decltype(number)::value;
      const std::size_t at = static_cast<std::size_t>(p) * plane + j;
      PrefetchAhead(z + at);
      const auto plane_index = hn::Add(index, hn::Set(words, static_cast<std::uint32_t>(p * plane)));
      const auto q = RandomCodes(levels, hn::LoadU(floats, z + at), plane_index, a, b);
      if constexpr (apply) {
        PrefetchAhead(into + at);
        hn::StoreU(hn::Add(hn::LoadU(floats, into + at), levels.Value(q)), floats, into + at);
      }
      const auto word = hn::BitCast(words, q);
      packed = hn::Or(packed, hn::ShiftLeft<p * bits>(p + 1 == planes ? word : hn::And(word, code_mask)));
    };
    encode_plane(std::integral_constant<int, 0>());
    if constexpr (planes > 1) encode_plane(std::integral_constant<int, 1>());
    if constexpr (planes > 2) {
      encode_plane(std::integral_constant<int, 2>());
      encode_plane(std::integral_constant<int, 3>());
    }
    hn::StoreU(hn::TruncateTo(byte_lanes, packed), byte_lanes, out + j);
    index = hn::Add(index, index_step);
  }
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(j), bytes.end(), std::byte{0});
  for (std::size_t p = 0; p < planes; ++p)
    for (std::size_t i = p * plane + j; i < std::min((p + 1) * plane, size); ++i) {
      const std::int32_t q = random_code(z[i], step, code, key, first + static_cast<std::uint32_t>(i));
      write_code(bytes, code, i, q);
      if constexpr (apply) into[i] += decoded(q, step.step, code);
    }
}

/// Writes the codes one after the other, unpacked.
template <class Levels>
void Codes(std::span<const float> z, std::uint32_t first, const DitherStep<float>& step,
           const DitherCode& code, ElementKey key, std::int32_t* HWY_RESTRICT codes) {
  const std::size_t lanes = hn::Lanes(floats);
  const Levels levels(step, code);
  const auto a = hn::Set(words, key.a);
  const auto b = hn::Set(words, key.b);
  auto index = hn::Iota(words, first);
  const auto index_step = hn::Set(words, static_cast<std::uint32_t>(lanes));
  std::size_t i = 0;
  for (; i + lanes <= z.size(); i += lanes) {
    PrefetchAhead(z.data() + i);
    hn::StoreU(RandomCodes(levels, hn::LoadU(floats, z.data() + i), index, a, b), ints, codes + i);
    index = hn::Add(index, index_step);
  }
  for (; i < z.size(); ++i)
    codes[i] = random_code(z[i], step, code, key, first + static_cast<std::uint32_t>(i));
}

template <int bits, class Levels>
void Accumulate(std::span<const std::byte> bytes, const DitherCode& code, float step, float scale,
                float* HWY_RESTRICT into, std::size_t size) {
  constexpr int planes = 8 / bits;
  const hn::Rebind<std::int8_t, Ints> byte_lanes;
  const std::size_t lanes = hn::Lanes(floats);
  const std::size_t plane = bytes.size();
  const std::size_t whole = (planes - 1) * plane < size ? size - (planes - 1) * plane : 0;
  const Levels levels({step, 0.0f, 1.0f}, code);
  const auto factor = hn::Set(floats, scale);
  const auto* in = reinterpret_cast<const std::int8_t*>(bytes.data());

  std::size_t j = 0;
  for (; j + lanes <= whole; j += lanes) {
    const auto packed = hn::PromoteTo(ints, hn::LoadU(byte_lanes, in + j));
    const auto add_plane = [&](auto number) HWY_ATTR {
      constexpr int p = decltype(number)::value;
      const std::size_t at = static_cast<std::size_t>(p) * plane + j;
      // The highest code of the byte is sign-extended already; the others are first shifted up to the sign
      // bit.
      const auto raised = p + 1 == planes ? packed : hn::ShiftLeft<32 - (p + 1) * bits>(packed);
      const auto q = hn::ShiftRight < p + 1 == planes ? 8 - bits : 32 - bits > (raised);
      const auto value = hn::Mul(factor, levels.Value(q));
      hn::StoreU(hn::Add(hn::LoadU(floats, into + at), value), floats, into + at);
    };
    add_plane(std::integral_constant<int, 0>());
    if constexpr (planes > 1) add_plane(std::integral_constant<int, 1>());
    if constexpr (planes > 2) {
      add_plane(std::integral_constant<int, 2>());
      add_plane(std::integral_constant<int, 3>());
    }
  }
  for (std::size_t p = 0; p < planes; ++p)
    for (std::size_t i = p * plane + j; i < std::min((p + 1) * plane, size); ++i)
      into[i] += scale * decoded(read_code(bytes, code, i), step, code);
}

/// True if all codes of all bytes are in range. Unused places hold 0, which is in range.
template <int bits>
bool InRange(std::span<const std::byte> bytes, const DitherCode& code) {
  constexpr int planes = 8 / bits;
  constexpr std::uint8_t code_mask = static_cast<std::uint8_t>((1u << bits) - 1);
  // Plus half of 2^bits (an xor), codes are unsigned and in order.
  constexpr std::uint8_t half = 1u << (bits - 1);
  const hn::ScalableTag<std::uint8_t> octets;
  const std::size_t lanes = hn::Lanes(octets);
  const auto* in = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const auto mask = hn::Set(octets, code_mask);
  const auto offset = hn::Set(octets, half);
  auto least = offset;
  auto most = offset;
  std::size_t j = 0;
  for (; j + lanes <= bytes.size(); j += lanes) {
    const auto packed = hn::LoadU(octets, in + j);
    const auto check_plane = [&](auto number) HWY_ATTR {
      const auto shifted = hn::ShiftRight<decltype(number)::value * bits>(packed);
      const auto place = hn::Xor(hn::And(shifted, mask), offset);
      least = hn::Min(least, place);
      most = hn::Max(most, place);
    };
    check_plane(std::integral_constant<int, 0>());
    if constexpr (planes > 1) check_plane(std::integral_constant<int, 1>());
    if constexpr (planes > 2) {
      check_plane(std::integral_constant<int, 2>());
      check_plane(std::integral_constant<int, 3>());
    }
  }
  const auto below = hn::Lt(least, hn::Set(octets, static_cast<std::uint8_t>(half - code.levels)));
  const auto above = hn::Gt(most, hn::Set(octets, static_cast<std::uint8_t>(half + code.levels)));
  if (!hn::AllFalse(octets, hn::Or(below, above))) return false;
  for (; j < bytes.size(); ++j)
    for (int p = 0; p < planes; ++p) {
      const int place = ((in[j] >> (p * bits)) & code_mask) ^ half;
      if (place < half - code.levels || place > half + code.levels) return false;
    }
  return true;
}

void LargestMagnitudes(std::span<const DitherBucket<float>> buckets, float* largest) {
  for (std::size_t k = 0; k < buckets.size(); ++k)
    largest[k] = LargestMagnitude(buckets[k].z.data(), buckets[k].z.size());
}

template <int bits, class Levels>
void EncodeAll(std::span<const DitherBucket<float>> buckets, const DitherCode& code, ElementKey key) {
  for (const DitherBucket<float>& bucket : buckets)
    if (bucket.into)
      Encode<bits, true, Levels>(bucket, code, key);
    else
      Encode<bits, false, Levels>(bucket, code, key);
}

template <int bits>
void EncodeEither(std::span<const DitherBucket<float>> buckets, const DitherCode& code, ElementKey key) {
  if (code.spacing == LevelSpacing::equal)
    EncodeAll<bits, EqualSteps>(buckets, code, key);
  else
    EncodeAll<bits, PowersOfTwo>(buckets, code, key);
}

void EncodeBuckets(std::span<const DitherBucket<float>> buckets, const DitherCode& code, ElementKey key) {
  if (code.bits == 8)
    EncodeEither<8>(buckets, code, key);
  else if (code.bits == 4)
    EncodeEither<4>(buckets, code, key);
  else
    EncodeEither<2>(buckets, code, key);
}

void CodesEither(std::span<const float> z, std::uint32_t first, const DitherStep<float>& step,
                 const DitherCode& code, ElementKey key, std::int32_t* codes) {
  if (code.spacing == LevelSpacing::equal)
    Codes<EqualSteps>(z, first, step, code, key, codes);
  else
    Codes<PowersOfTwo>(z, first, step, code, key, codes);
}

template <int bits>
void AccumulateEither(std::span<const std::byte> bytes, const DitherCode& code, float step, float scale,
                      float* into, std::size_t size) {
  if (code.spacing == LevelSpacing::equal)
    Accumulate<bits, EqualSteps>(bytes, code, step, scale, into, size);
  else
    Accumulate<bits, PowersOfTwo>(bytes, code, step, scale, into, size);
}

void AccumulateBucket(std::span<const std::byte> bytes, const DitherCode& code, float step, float scale,
                      float* into, std::size_t size) {
  if (code.bits == 8)
    AccumulateEither<8>(bytes, code, step, scale, into, size);
  else if (code.bits == 4)
    AccumulateEither<4>(bytes, code, step, scale, into, size);
  else
    AccumulateEither<2>(bytes, code, step, scale, into, size);
}

bool CodesInRange(std::span<const std::byte> bytes, const DitherCode& code) {
  if (code.bits == 8) return InRange<8>(bytes, code);
  return code.bits == 4 ? InRange<4>(bytes, code) : InRange<2>(bytes, code);
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(LargestMagnitude);
HWY_EXPORT(LargestMagnitudes);
HWY_EXPORT(EncodeBuckets);
HWY_EXPORT(CodesEither);
HWY_EXPORT(AccumulateBucket);
HWY_EXPORT(CodesInRange);
}  // namespace

float largest_magnitude(std::span<const float> z) {
  return HWY_DYNAMIC_DISPATCH(LargestMagnitude)(z.data(), z.size());
}

void largest_magnitudes(std::span<const DitherBucket<float>> buckets, std::span<float> largest) {
  HWY_DYNAMIC_DISPATCH(LargestMagnitudes)(buckets, largest.data());
}

void encode_buckets_fast(std::span<const DitherBucket<float>> buckets, const DitherCode& code,
                         ElementKey key) {
  if (has_planes(code.bits)) return HWY_DYNAMIC_DISPATCH(EncodeBuckets)(buckets, code, key);
  for (const DitherBucket<float>& bucket : buckets) encode_stream(bucket, code, key);
}

void dither_codes_fast(std::span<const float> z, std::uint32_t first, const DitherStep<float>& step,
                       const DitherCode& code, ElementKey key, std::span<std::int32_t> codes) {
  HWY_DYNAMIC_DISPATCH(CodesEither)(z, first, step, code, key, codes.data());
}

void accumulate_bucket_fast(std::span<const std::byte> bytes, const DitherCode& code, float step, float scale,
                            std::span<float> into) {
  if (!has_planes(code.bits)) return accumulate_stream(bytes, code, step, scale, into);
  HWY_DYNAMIC_DISPATCH(AccumulateBucket)(bytes, code, step, scale, into.data(), into.size());
}

bool bucket_valid_fast(std::span<const std::byte> bytes, const DitherCode& code, std::size_t size) {
  if (!has_planes(code.bits))
    return unused_places_are_zero(bytes, code.bits, size) && stream_in_range(bytes, code, size);
  // The unused places follow the last element in the last plane, or are whole planes of a tiny bucket.
  for (std::size_t i = size; i < bytes.size() * (8 / code.bits); ++i)
    if (read_code(bytes, code, i) != 0) return false;
  return HWY_DYNAMIC_DISPATCH(CodesInRange)(bytes, code);
}

}  // namespace hearsay
#endif
