#include "algorithms/compression/selectors/magnitudes.hpp"

#include <algorithm>
#include <bit>

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/selectors/magnitudes.cpp"
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

constexpr Floats floats;
constexpr Ints ints;
constexpr Words words;

std::uint32_t LargestMagnitude(std::span<const float> z) {
  const std::size_t lanes = hn::Lanes(floats);
  const auto magnitude_mask = hn::Set(ints, 0x7FFFFFFF);
  const auto loaded = [&](std::size_t at) HWY_ATTR {
    return hn::And(hn::BitCast(ints, hn::LoadU(floats, z.data() + at)), magnitude_mask);
  };
  auto largest = hn::Zero(ints);
  std::size_t i = 0;
  for (; i + 4 * lanes <= z.size(); i += 4 * lanes)
    largest = hn::Max(largest, hn::Max(hn::Max(loaded(i), loaded(i + lanes)),
                                       hn::Max(loaded(i + 2 * lanes), loaded(i + 3 * lanes))));
  for (; i + lanes <= z.size(); i += lanes) largest = hn::Max(largest, loaded(i));
  auto most = static_cast<std::uint32_t>(hn::GetLane(hn::MaxOfLanes(ints, largest)));
  for (; i < z.size(); ++i) most = std::max(most, magnitude(z[i]));
  return most;
}

/// Returns the mask as bits, the first lane as the lowest one.
std::uint64_t BitsOf(hn::Mask<Ints> mask) {
  std::uint64_t bits = 0;
  hn::StoreMaskBits(ints, mask, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

template <bool with_magnitudes>
std::size_t Find(std::span<const float> z, std::uint32_t border, std::size_t most,
                 const Found<float>& found) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::size_t block = found_padding;  // a step writes at most so many entries beyond `most`
  constexpr int few = 8;
  const std::size_t lanes = hn::Lanes(floats);
  const auto magnitude_mask = hn::Set(ints, 0x7FFFFFFF);
  // Magnitudes are below 2^31 and compare as signed numbers, too.
  const auto below = hn::Set(ints, static_cast<std::int32_t>(border) - 1);
  const auto lane = hn::Iota(words, 0);
  std::uint32_t* const indices = found.indices.data();
  std::uint32_t* const magnitudes = found.magnitudes.data();
  std::size_t n = 0;
  const auto loaded = [&](std::size_t at) HWY_ATTR {
    return hn::And(hn::BitCast(ints, hn::LoadU(floats, z.data() + at)), magnitude_mask);
  };
  const auto write = [&](std::size_t place, std::size_t at) HWY_ATTR {
    indices[place] = static_cast<std::uint32_t>(at);
    if constexpr (with_magnitudes) magnitudes[place] = magnitude(z[at]);
  };
  // Compresses in a register and stores the whole vector: the form of vpcompress that writes to memory is
  // slow on some machines.
  const auto keep = [&](std::size_t at) HWY_ATTR {
    const auto sizes = loaded(at);
    const auto mask = hn::Gt(sizes, below);
    const auto index = hn::Add(lane, hn::Set(words, static_cast<std::uint32_t>(at)));
    hn::StoreU(hn::BitCast(words, hn::Compress(hn::BitCast(ints, index), mask)), words, indices + n);
    if constexpr (with_magnitudes)
      hn::StoreU(hn::BitCast(words, hn::Compress(sizes, mask)), words, magnitudes + n);
    n += hn::CountTrue(ints, mask);
  };
  std::size_t i = 0;
  for (; i + block <= z.size() && n <= most; i += block) {
    std::uint64_t bits = 0;
    for (std::size_t at = 0; at < block; at += lanes) bits |= BitsOf(hn::Gt(loaded(i + at), below)) << at;
    const int count = std::popcount(bits);
    if (count > few) {
      for (std::size_t at = 0; at < block; at += lanes) keep(i + at);
      continue;
    }
    // Two entries are written even if there are fewer: a branch that is as often taken as not takes longer.
    for (std::size_t entry = 0; entry < 2 || bits != 0; ++entry, bits &= bits - 1)
      write(n + entry, i + static_cast<std::size_t>(std::countr_zero(bits)) % block);
    n += static_cast<std::size_t>(count);
  }
  for (; i + lanes <= z.size() && n <= most; i += lanes) keep(i);
  for (; i < z.size() && n <= most; ++i) {
    write(n, i);
    n += magnitude(z[i]) >= border;
  }
  return n;
}

std::size_t FindAtLeast(std::span<const float> z, std::uint32_t border, std::size_t most,
                        const Found<float>& found) {
  return found.magnitudes.empty() ? Find<false>(z, border, most, found) : Find<true>(z, border, most, found);
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(LargestMagnitude);
HWY_EXPORT(FindAtLeast);
}  // namespace

template <class Scalar>
Magnitude<Scalar> largest_magnitude_plain(std::span<const Scalar> z) {
  Magnitude<Scalar> largest = 0;
  for (const Scalar value : z) largest = std::max(largest, magnitude(value));
  return largest;
}

template <>
std::uint32_t largest_magnitude_of<float>(std::span<const float> z) {
  return HWY_DYNAMIC_DISPATCH(LargestMagnitude)(z);
}

template <>
std::uint64_t largest_magnitude_of<double>(std::span<const double> z) {
  return largest_magnitude_plain(z);
}

template <class Scalar>
std::size_t find_at_least_plain(std::span<const Scalar> z, Magnitude<Scalar> border, std::size_t most,
                                Found<Scalar> found) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < z.size() && n <= most; ++i) {
    const Magnitude<Scalar> size = magnitude(z[i]);
    found.indices[n] = static_cast<std::uint32_t>(i);
    if (!found.magnitudes.empty()) found.magnitudes[n] = size;
    n += size >= border;
  }
  return n;
}

template <>
std::size_t find_at_least<float>(std::span<const float> z, std::uint32_t border, std::size_t most,
                                 Found<float> found) {
  return HWY_DYNAMIC_DISPATCH(FindAtLeast)(z, border, most, found);
}

template <>
std::size_t find_at_least<double>(std::span<const double> z, std::uint64_t border, std::size_t most,
                                  Found<double> found) {
  return find_at_least_plain(z, border, most, found);
}

#define HEARSAY_INSTANTIATE(Scalar)                                                                         \
  template Magnitude<Scalar> largest_magnitude_plain<Scalar>(std::span<const Scalar>);                      \
  template std::size_t find_at_least_plain<Scalar>(std::span<const Scalar>, Magnitude<Scalar>, std::size_t, \
                                                   Found<Scalar>);
HEARSAY_INSTANTIATE(float)
HEARSAY_INSTANTIATE(double)
#undef HEARSAY_INSTANTIATE

}  // namespace hearsay
#endif
