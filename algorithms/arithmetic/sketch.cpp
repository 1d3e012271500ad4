#include "algorithms/arithmetic/sketch.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "algorithms/arithmetic/random.hpp"

// Compile every target that this machine could run, the scalar one included: a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/arithmetic/sketch.cpp"
#include <hwy/foreach_target.h>
// This include comes last: foreach_target.h includes all that follows once per target.
#include <hwy/highway.h>

#include "algorithms/arithmetic/element_bits.inl"

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t block_size = 64;  // coordinates whose signs are drawn at once

/// Sets `signs` to the bits of coordinates first, ..., first + block_size - 1.
void DrawSigns(ElementKey key, std::size_t first, std::uint32_t* HWY_RESTRICT signs) {
  const hn::CappedTag<std::uint32_t, block_size> words;
  const std::size_t lanes = hn::Lanes(words);
  const auto a = hn::Set(words, key.a);
  const auto b = hn::Set(words, key.b);
  for (std::size_t k = 0; k < block_size; k += lanes) {
    const auto index = hn::Iota(words, static_cast<std::uint32_t>(first + k));
    hn::StoreU(ElementBits(words, index, a, b), words, signs + k);
  }
}

/// Sets `sums` to 32 signed sums of x, one row a lane, so every width gives the same bits: the bits of a
/// coordinate say where it is added (1) and where it is subtracted (0).
template <class Scalar>
void SumSigned(const Scalar* HWY_RESTRICT x, std::size_t n, ElementKey key, double* HWY_RESTRICT sums) {
  constexpr std::size_t rows = sketch_size / 2;
  const hn::CappedTag<double, 8> doubles;
  using Doubles = std::remove_const_t<decltype(doubles)>;
  const hn::RebindToUnsigned<Doubles> words;
  constexpr std::size_t width = hn::MaxLanes(Doubles());
  constexpr std::size_t vectors = rows / width;

  hn::Vec<Doubles> accumulated[vectors];
  hn::Vec<decltype(words)> to_sign_bit[vectors];
  for (std::size_t v = 0; v < vectors; ++v) {
    accumulated[v] = hn::Zero(doubles);
    to_sign_bit[v] = hn::Sub(hn::Set(words, 63 - v * width), hn::Iota(words, 0));
  }
  const auto sign_bit = hn::Set(words, std::uint64_t{1} << 63);
  std::uint32_t signs[block_size];
  for (std::size_t first = 0; first < n; first += block_size) {
    DrawSigns(key, first, signs);
    const std::size_t end = std::min(block_size, n - first);
    for (std::size_t k = 0; k < end; ++k) {
      const auto negated = hn::BitCast(words, hn::Set(doubles, -static_cast<double>(x[first + k])));
      const auto bits = hn::Set(words, std::uint64_t{signs[k]});
      for (std::size_t v = 0; v < vectors; ++v) {
        const auto turned = hn::And(hn::Shl(bits, to_sign_bit[v]), sign_bit);
        accumulated[v] = hn::Add(accumulated[v], hn::BitCast(doubles, hn::Xor(negated, turned)));
      }
    }
  }
  for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(accumulated[v], doubles, sums + v * width);
}

void SumSignedFloats(const float* x, std::size_t n, ElementKey key, double* sums) {
  SumSigned(x, n, key, sums);
}
void SumSignedDoubles(const double* x, std::size_t n, ElementKey key, double* sums) {
  SumSigned(x, n, key, sums);
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {

HWY_EXPORT(SumSignedFloats);
HWY_EXPORT(SumSignedDoubles);

constexpr std::uint32_t half = sketch_size / 2;
constexpr PeerId of_all_peers = std::numeric_limits<PeerId>::max();
constexpr double entry = 1.0 / 8.0;  // 1 / sqrt(64)

/// Returns the key of the signs of 32 projections.
ElementKey key_of(std::uint64_t seed, std::uint64_t which) {
  RandomStream stream(seed, of_all_peers, which, Purpose::sketch);
  return stream.element_key();
}

}  // namespace

template <class Scalar>
Sketch sketch_of(std::span<const Scalar> x, std::uint64_t seed) {
  Sketch sums{};
  for (std::uint32_t which = 0; which < 2; ++which) {
    const ElementKey key = key_of(seed, which);
    double* const rows = sums.data() + which * half;
    if constexpr (std::is_same_v<Scalar, float>)
      HWY_DYNAMIC_DISPATCH(SumSignedFloats)(x.data(), x.size(), key, rows);
    else
      HWY_DYNAMIC_DISPATCH(SumSignedDoubles)(x.data(), x.size(), key, rows);
  }
  for (double& sum : sums) sum *= entry;
  return sums;
}

double squared_distance(const Sketch& one, const Sketch& other) {
  double sum = 0.0;
  for (std::size_t row = 0; row < sketch_size; ++row)
    sum += (one[row] - other[row]) * (one[row] - other[row]);
  return sum;
}

template Sketch sketch_of<float>(std::span<const float>, std::uint64_t);
template Sketch sketch_of<double>(std::span<const double>, std::uint64_t);

}  // namespace hearsay
#endif
