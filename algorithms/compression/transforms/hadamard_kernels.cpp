#include "algorithms/compression/transforms/hadamard_kernels.hpp"

#include <bit>

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/transforms/hadamard_kernels.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, 16>;
using Ints = hn::RebindToSigned<Floats>;
using Words = hn::RebindToUnsigned<Floats>;
using Vector = hn::Vec<Floats>;

constexpr Floats floats;
constexpr Ints ints;
constexpr Words words;

/// The sign bits of element_bits of a vector of indices, all other bits 0.
HWY_INLINE Vector Signs(hn::Vec<Words> index, hn::Vec<Words> a, hn::Vec<Words> b) {
  auto hash = hn::Mul(hn::Xor(index, a), hn::Set(words, 0x9E3779B1u));
  hash = hn::Xor(hash, hn::ShiftRight<16>(hash));
  hash = hn::Mul(hn::Xor(hash, b), hn::Set(words, 0x85EBCA6Bu));
  // The last step, hash ^ hash >> 15, leaves the top bit as it is.
  return hn::BitCast(floats, hn::And(hash, hn::Set(words, 0x80000000u)));
}

HWY_INLINE void Butterfly(Vector& a, Vector& b) {
  const Vector sum = hn::Add(a, b);
  b = hn::Sub(a, b);
  a = sum;
}

/// Three levels of butterflies over eight vectors, the smallest distance first.
HWY_INLINE void Butterfly8(Vector& v0, Vector& v1, Vector& v2, Vector& v3, Vector& v4, Vector& v5, Vector& v6,
                           Vector& v7) {
  Butterfly(v0, v1);
  Butterfly(v2, v3);
  Butterfly(v4, v5);
  Butterfly(v6, v7);
  Butterfly(v0, v2);
  Butterfly(v1, v3);
  Butterfly(v4, v6);
  Butterfly(v5, v7);
  Butterfly(v0, v4);
  Butterfly(v1, v5);
  Butterfly(v2, v6);
  Butterfly(v3, v7);
}

/// For each lane its partner at this distance.
HWY_INLINE auto Partners(int distance) {
  const int bit = distance < static_cast<int>(hn::Lanes(floats)) ? distance : 0;
  return hn::IndicesFromVec(floats, hn::Xor(hn::Iota(ints, 0), hn::Set(ints, bit)));
}

/// The sign bit in each lane that is the upper of two partners at this distance.
HWY_INLINE Vector UpperSigns(int distance) {
  const auto upper = hn::Ne(hn::And(hn::Iota(ints, 0), hn::Set(ints, distance)), hn::Zero(ints));
  return hn::BitCast(floats, hn::IfThenElseZero(upper, hn::Set(ints, static_cast<int>(0x80000000u))));
}

/// The levels at distances below the number of lanes, and three more, eight vectors at a time.
template <bool flip>
HWY_INLINE void FirstLevels(const float* from, float* x, std::size_t n, float scale, ElementKey key,
                            std::uint32_t first) {
  const std::size_t lanes = hn::Lanes(floats);
  const auto factor = hn::Set(floats, scale);
  const auto a = hn::Set(words, key.a);
  const auto b = hn::Set(words, key.b);
  auto index = hn::Iota(words, first);
  const auto index_step = hn::Set(words, static_cast<std::uint32_t>(lanes));
  const auto partners1 = Partners(1);
  const auto partners2 = Partners(2);
  const auto partners4 = Partners(4);
  const auto partners8 = Partners(8);
  const auto signs1 = UpperSigns(1);
  const auto signs2 = UpperSigns(2);
  const auto signs4 = UpperSigns(4);
  const auto signs8 = UpperSigns(8);

  const auto loaded = [&](const float* at) HWY_ATTR {
    Vector v = hn::Mul(hn::LoadU(floats, at), factor);
    if constexpr (flip) {
      v = hn::Xor(v, Signs(index, a, b));
      index = hn::Add(index, index_step);
    }
    // The upper of two partners becomes a - b: its partner plus itself with the sign changed.
    if (lanes > 1) v = hn::Add(hn::TableLookupLanes(v, partners1), hn::Xor(v, signs1));
    if (lanes > 2) v = hn::Add(hn::TableLookupLanes(v, partners2), hn::Xor(v, signs2));
    if (lanes > 4) v = hn::Add(hn::TableLookupLanes(v, partners4), hn::Xor(v, signs4));
    if (lanes > 8) v = hn::Add(hn::TableLookupLanes(v, partners8), hn::Xor(v, signs8));
    return v;
  };
  for (std::size_t at = 0; at < n; at += 8 * lanes) {
    Vector v0 = loaded(from + at);
    Vector v1 = loaded(from + at + lanes);
    Vector v2 = loaded(from + at + 2 * lanes);
    Vector v3 = loaded(from + at + 3 * lanes);
    Vector v4 = loaded(from + at + 4 * lanes);
    Vector v5 = loaded(from + at + 5 * lanes);
    Vector v6 = loaded(from + at + 6 * lanes);
    Vector v7 = loaded(from + at + 7 * lanes);
    Butterfly8(v0, v1, v2, v3, v4, v5, v6, v7);
    hn::StoreU(v0, floats, x + at);
    hn::StoreU(v1, floats, x + at + lanes);
    hn::StoreU(v2, floats, x + at + 2 * lanes);
    hn::StoreU(v3, floats, x + at + 3 * lanes);
    hn::StoreU(v4, floats, x + at + 4 * lanes);
    hn::StoreU(v5, floats, x + at + 5 * lanes);
    hn::StoreU(v6, floats, x + at + 6 * lanes);
    hn::StoreU(v7, floats, x + at + 7 * lanes);
  }
}

/// Three levels, at distances d, 2d and 4d; d is a multiple of the number of lanes.
HWY_INLINE void ThreeLevels(float* x, std::size_t n, std::size_t d) {
  const std::size_t lanes = hn::Lanes(floats);
  for (std::size_t group = 0; group < n; group += 8 * d)
    for (float* at = x + group; at < x + group + d; at += lanes) {
      Vector v0 = hn::LoadU(floats, at);
      Vector v1 = hn::LoadU(floats, at + d);
      Vector v2 = hn::LoadU(floats, at + 2 * d);
      Vector v3 = hn::LoadU(floats, at + 3 * d);
      Vector v4 = hn::LoadU(floats, at + 4 * d);
      Vector v5 = hn::LoadU(floats, at + 5 * d);
      Vector v6 = hn::LoadU(floats, at + 6 * d);
      Vector v7 = hn::LoadU(floats, at + 7 * d);
      Butterfly8(v0, v1, v2, v3, v4, v5, v6, v7);
      hn::StoreU(v0, floats, at);
      hn::StoreU(v1, floats, at + d);
      hn::StoreU(v2, floats, at + 2 * d);
      hn::StoreU(v3, floats, at + 3 * d);
      hn::StoreU(v4, floats, at + 4 * d);
      hn::StoreU(v5, floats, at + 5 * d);
      hn::StoreU(v6, floats, at + 6 * d);
      hn::StoreU(v7, floats, at + 7 * d);
    }
}

HWY_INLINE void TwoLevels(float* x, std::size_t n, std::size_t d) {
  const std::size_t lanes = hn::Lanes(floats);
  for (std::size_t group = 0; group < n; group += 4 * d)
    for (float* at = x + group; at < x + group + d; at += lanes) {
      Vector v0 = hn::LoadU(floats, at);
      Vector v1 = hn::LoadU(floats, at + d);
      Vector v2 = hn::LoadU(floats, at + 2 * d);
      Vector v3 = hn::LoadU(floats, at + 3 * d);
      Butterfly(v0, v1);
      Butterfly(v2, v3);
      Butterfly(v0, v2);
      Butterfly(v1, v3);
      hn::StoreU(v0, floats, at);
      hn::StoreU(v1, floats, at + d);
      hn::StoreU(v2, floats, at + 2 * d);
      hn::StoreU(v3, floats, at + 3 * d);
    }
}

HWY_INLINE void OneLevel(float* x, std::size_t n, std::size_t d) {
  const std::size_t lanes = hn::Lanes(floats);
  for (std::size_t group = 0; group < n; group += 2 * d)
    for (float* at = x + group; at < x + group + d; at += lanes) {
      Vector v0 = hn::LoadU(floats, at);
      Vector v1 = hn::LoadU(floats, at + d);
      Butterfly(v0, v1);
      hn::StoreU(v0, floats, at);
      hn::StoreU(v1, floats, at + d);
    }
}

void Hadamard(const float* from, float* x, std::size_t n, float scale, const ElementKey* key,
              std::uint32_t first) {
  if (key)
    FirstLevels<true>(from, x, n, scale, *key, first);
  else
    FirstLevels<false>(from, x, n, scale, {}, 0);
  std::size_t distance = 8 * hn::Lanes(floats);
  for (; distance * 8 <= n; distance *= 8) ThreeLevels(x, n, distance);
  if (distance * 4 == n)
    TwoLevels(x, n, distance);
  else if (distance * 2 == n)
    OneLevel(x, n, distance);
}

void FlipSigns(const float* from, ElementKey key, std::uint32_t first, float* out, std::size_t count) {
  const std::size_t lanes = hn::Lanes(floats);
  const auto a = hn::Set(words, key.a);
  const auto b = hn::Set(words, key.b);
  auto index = hn::Iota(words, first);
  const auto index_step = hn::Set(words, static_cast<std::uint32_t>(lanes));
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::Xor(hn::LoadU(floats, from + i), Signs(index, a, b)), floats, out + i);
    index = hn::Add(index, index_step);
  }
  for (; i < count; ++i)
    out[i] = element_bits(key, first + static_cast<std::uint32_t>(i)) >> 31 ? -from[i] : from[i];
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(Hadamard);
HWY_EXPORT(FlipSigns);
}  // namespace

bool has_hadamard_kernel(std::size_t n) { return std::has_single_bit(n) && n >= 128; }

void hadamard_fast(const float* from, std::span<float> x, float scale, const ElementKey* key,
                   std::uint32_t first) {
  HWY_DYNAMIC_DISPATCH(Hadamard)(from, x.data(), x.size(), scale, key, first);
}

void flip_signs_fast(const float* from, ElementKey key, std::uint32_t first, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(FlipSigns)(from, key, first, out.data(), out.size());
}

}  // namespace hearsay
#endif
