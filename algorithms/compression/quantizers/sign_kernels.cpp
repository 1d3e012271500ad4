#include "algorithms/compression/quantizers/sign_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "algorithms/arithmetic/lane_tree.hpp"

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/quantizers/sign_kernels.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Words = hn::RebindToUnsigned<Floats>;
using Doubles = hn::ScalableTag<double>;

constexpr Floats floats;
constexpr Words words;
constexpr Doubles doubles;

/// The floats that one step takes: one for each lane of the sum (lane_tree.hpp).
constexpr std::size_t group = lane_count;

/// Bit k is lane k.
HWY_INLINE std::uint32_t BitsOf(hn::Mask<Floats> mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(floats, mask, bytes);
  std::uint16_t bits;
  std::memcpy(&bits, bytes, sizeof(bits));
  return bits;
}

double Encode(std::span<const float> z, std::span<std::byte> signs) {
  // Constants at compile time, unlike hn::Lanes, so that the sums stay in registers.
  constexpr std::size_t lanes = hn::MaxLanes(floats);
  constexpr std::size_t sum_lanes = hn::MaxLanes(doubles);
  const hn::Rebind<float, Doubles> half_floats;
  const float* HWY_RESTRICT const in = z.data();
  auto* HWY_RESTRICT const out = reinterpret_cast<std::uint8_t*>(signs.data());
  hn::Vec<Doubles> sums[group / sum_lanes];
  for (auto& sum : sums) sum = hn::Zero(doubles);

  std::size_t i = 0;
  for (; i + group <= z.size(); i += group) {
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < group; k += lanes)
      bits |= BitsOf(hn::Lt(hn::LoadU(floats, in + i + k), hn::Zero(floats))) << k;
    const auto two_bytes = static_cast<std::uint16_t>(bits);
    std::memcpy(out + i / 8, &two_bytes, sizeof(two_bytes));
    for (std::size_t k = 0; k < group; k += sum_lanes)
      sums[k / sum_lanes] =
          hn::Add(sums[k / sum_lanes], hn::Abs(hn::PromoteTo(doubles, hn::LoadU(half_floats, in + i + k))));
  }
  std::array<double, group> total;
  for (std::size_t k = 0; k < group; k += sum_lanes)
    hn::StoreU(sums[k / sum_lanes], doubles, total.data() + k);
  std::fill(out + i / 8, out + signs.size(), std::uint8_t{0});
  for (std::size_t lane = 0; i < z.size(); ++i, ++lane) {
    out[i / 8] |= static_cast<std::uint8_t>((in[i] < 0.0f) << (i % 8));
    total[lane] += std::abs(static_cast<double>(in[i]));
  }
  return folded(total);
}

void Accumulate(std::span<const std::byte> signs, float magnitude, float scale, std::span<float> into) {
  const std::size_t lanes = hn::Lanes(floats);
  const float product = scale * magnitude;
  const auto value = hn::BitCast(words, hn::Set(floats, product));
  const auto to_the_top = hn::Sub(hn::Set(words, 31u), hn::Iota(words, 0u));
  const auto sign_mask = hn::Set(words, 0x80000000u);
  const auto* HWY_RESTRICT const in = reinterpret_cast<const std::uint8_t*>(signs.data());
  float* HWY_RESTRICT const out = into.data();
  std::size_t i = 0;
  for (; i + group <= into.size(); i += group) {
    std::uint16_t two_bytes;
    std::memcpy(&two_bytes, in + i / 8, sizeof(two_bytes));
    for (std::size_t k = 0; k < group; k += lanes) {
      const auto bits = hn::Set(words, static_cast<std::uint32_t>(two_bytes) >> k);
      const auto signed_value = hn::Xor(value, hn::And(hn::Shl(bits, to_the_top), sign_mask));
      hn::StoreU(hn::Add(hn::LoadU(floats, out + i + k), hn::BitCast(floats, signed_value)), floats,
                 out + i + k);
    }
  }
  for (; i < into.size(); ++i) out[i] += in[i / 8] >> (i % 8) & 1 ? -product : product;
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(Encode);
HWY_EXPORT(Accumulate);
}  // namespace

double sign_encode_fast(std::span<const float> z, std::span<std::byte> signs) {
  return HWY_DYNAMIC_DISPATCH(Encode)(z, signs);
}

void sign_accumulate_fast(std::span<const std::byte> signs, float magnitude, float scale,
                          std::span<float> into) {
  HWY_DYNAMIC_DISPATCH(Accumulate)(signs, magnitude, scale, into);
}

}  // namespace hearsay
#endif
