#include "algorithms/compression/quantizers/natural_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/quantizers/natural_kernels.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

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

/// Signs are written 16 at a time.
constexpr std::size_t group = 16;

constexpr int first_field = 17;  // the window's field 1 is 2^-109, whose own field is 18
constexpr std::uint32_t lowest_in_window = 18u << 23;

/// Bit k is lane k.
HWY_INLINE std::uint32_t BitsOf(hn::Mask<Ints> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(ints, mask, bytes);
  std::uint16_t bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

template <bool windowed>
std::uint32_t Encode(const float* HWY_RESTRICT z, std::size_t size, const NaturalCode<float>& code,
                     ElementKey key, std::uint32_t first, std::uint8_t* HWY_RESTRICT codes,
                     std::uint8_t* HWY_RESTRICT signs) {
  const hn::Rebind<std::uint8_t, Words> byte_lanes;
  const std::size_t lanes = hn::Lanes(words);
  const auto magnitude_mask = hn::Set(words, 0x7FFFFFFFu);
  const auto a = hn::Set(words, key.a);
  const auto b = hn::Set(words, key.b);
  auto index = hn::Iota(words, first);
  const auto index_step = hn::Set(words, static_cast<std::uint32_t>(lanes));
  const auto lowest = hn::Set(words, lowest_in_window);
  auto largest = hn::Zero(words);

  std::size_t i = 0;
  for (; i + group <= size; i += group) {
    std::uint32_t group_signs = 0;
    for (std::size_t k = 0; k < group; k += lanes) {
      const auto value = hn::BitCast(words, hn::LoadU(floats, z + i + k));
      const auto absolute = hn::And(value, magnitude_mask);
      largest = hn::Max(largest, absolute);
      const auto random = hn::ShiftRight<9>(ElementBits(words, index, a, b));
      index = hn::Add(index, index_step);
      if constexpr (windowed) {
        const auto below = hn::Lt(absolute, lowest);
        const auto raised = hn::Add(hn::BitCast(floats, absolute), hn::BitCast(floats, lowest));
        const auto word = hn::IfThenElse(below, hn::BitCast(words, raised), absolute);
        const auto zero_field =
            hn::IfThenElse(below, hn::Set(words, first_field + 1), hn::Set(words, first_field));
        const auto field = hn::Sub(hn::ShiftRight<23>(hn::Add(word, random)), zero_field);
        const auto sign = hn::ShiftLeft<7>(hn::ShiftRight<31>(value));
        const auto signed_field = hn::Or(field, hn::IfThenZeroElse(hn::Eq(field, hn::Zero(words)), sign));
        hn::StoreU(hn::TruncateTo(byte_lanes, signed_field), byte_lanes, codes + i + k);
      } else {
        const auto field = hn::ShiftRight<23>(hn::Add(absolute, random));
        hn::StoreU(hn::TruncateTo(byte_lanes, field), byte_lanes, codes + i + k);
        group_signs |= BitsOf(hn::Lt(hn::BitCast(ints, value), hn::Zero(ints))) << k;
      }
    }
    if constexpr (!windowed) {
      const auto two_bytes = static_cast<std::uint16_t>(group_signs);
      std::memcpy(signs + i / 8, &two_bytes, sizeof(two_bytes));
    }
  }
  std::uint32_t most = hn::GetLane(hn::MaxOfLanes(words, largest));
  if constexpr (!windowed) std::fill(signs + i / 8, signs + (size + 7) / 8, std::uint8_t{0});
  for (; i < size; ++i) {
    const std::int32_t rounded = code.encode(z[i], element_bits(key, first + static_cast<std::uint32_t>(i)));
    most = std::max(most, magnitude(z[i]));
    codes[i] = static_cast<std::uint8_t>(rounded);
    if constexpr (!windowed) signs[i / 8] |= static_cast<std::uint8_t>(rounded >> 8 << (i % 8));
  }
  return most;
}

template <bool windowed>
void Accumulate(const std::uint8_t* HWY_RESTRICT codes, const std::uint8_t* HWY_RESTRICT signs,
                const NaturalCode<float>& code, float scale, float* HWY_RESTRICT into, std::size_t size) {
  const hn::Rebind<std::uint8_t, Words> byte_lanes;
  const std::size_t lanes = hn::Lanes(words);
  const auto factor = hn::Set(floats, scale);
  const auto to_the_top = hn::Sub(hn::Set(words, 31u), hn::Iota(words, 0u));
  const auto sign_mask = hn::Set(words, 0x80000000u);
  std::size_t i = 0;
  for (; i + group <= size; i += group) {
    std::uint16_t group_signs = 0;
    if constexpr (!windowed) std::memcpy(&group_signs, signs + i / 8, sizeof(group_signs));
    for (std::size_t k = 0; k < group; k += lanes) {
      const auto octet = hn::PromoteTo(words, hn::LoadU(byte_lanes, codes + i + k));
      auto word = octet;
      if constexpr (windowed) {
        const auto field = hn::And(octet, hn::Set(words, 0x7Fu));
        const auto power = hn::ShiftLeft<23>(hn::Add(field, hn::Set(words, first_field)));
        const auto sign = hn::ShiftLeft<31>(hn::ShiftRight<7>(octet));
        word = hn::Or(hn::IfThenZeroElse(hn::Eq(field, hn::Zero(words)), power), sign);
      } else {
        const auto bits = hn::Set(words, static_cast<std::uint32_t>(group_signs) >> k);
        word = hn::Or(hn::ShiftLeft<23>(octet), hn::And(hn::Shl(bits, to_the_top), sign_mask));
      }
      const auto value = hn::Mul(factor, hn::BitCast(floats, word));
      hn::StoreU(hn::Add(hn::LoadU(floats, into + i + k), value), floats, into + i + k);
    }
  }
  for (; i < size; ++i) {
    std::int32_t whole = codes[i];
    if constexpr (!windowed) whole |= (signs[i / 8] >> (i % 8) & 1) << 8;
    into[i] += scale * code.decode(whole);
  }
}

std::uint32_t EncodeEither(std::span<const float> z, const NaturalCode<float>& code, ElementKey key,
                           std::uint32_t first, std::byte* codes, std::byte* signs) {
  auto* const octets = reinterpret_cast<std::uint8_t*>(codes);
  auto* const sign_octets = reinterpret_cast<std::uint8_t*>(signs);
  return code.windowed() ? Encode<true>(z.data(), z.size(), code, key, first, octets, nullptr)
                         : Encode<false>(z.data(), z.size(), code, key, first, octets, sign_octets);
}

void AccumulateEither(const std::byte* codes, const std::byte* signs, const NaturalCode<float>& code,
                      float scale, std::span<float> into) {
  const auto* const octets = reinterpret_cast<const std::uint8_t*>(codes);
  const auto* const sign_octets = reinterpret_cast<const std::uint8_t*>(signs);
  if (code.windowed())
    Accumulate<true>(octets, nullptr, code, scale, into.data(), into.size());
  else
    Accumulate<false>(octets, sign_octets, code, scale, into.data(), into.size());
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(EncodeEither);
HWY_EXPORT(AccumulateEither);
}  // namespace

std::uint32_t natural_encode_fast(std::span<const float> z, const NaturalCode<float>& code, ElementKey key,
                                  std::uint32_t first, std::byte* codes, std::byte* signs) {
  return HWY_DYNAMIC_DISPATCH(EncodeEither)(z, code, key, first, codes, signs);
}

void natural_accumulate_fast(const std::byte* codes, const std::byte* signs, const NaturalCode<float>& code,
                             float scale, std::span<float> into) {
  HWY_DYNAMIC_DISPATCH(AccumulateEither)(codes, signs, code, scale, into);
}

}  // namespace hearsay
#endif
