#include "algorithms/compression/modulo_kernels.hpp"

#include <type_traits>

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/modulo_kernels.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

#include "algorithms/arithmetic/element_bits.inl"
#include "algorithms/compression/quantizers/exact_quotient.inl"

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr double largest_near = 0x1p52;

/// A grid, and what divides by its numbers.
struct DividingGrid {
  explicit DividingGrid(const ModuloGrid& of) : grid(of), step(of.step), modulus(of.modulus) {}
  ModuloGrid grid;
  Divisor step;
  Divisor modulus;
};

/// The arithmetic on as many numbers as Doubles has lanes.
template <class Scalar, class Doubles>
class ModuloLanes {
 public:
  using Vec = hn::Vec<Doubles>;
  using Mask = hn::Mask<Doubles>;
  static constexpr Doubles doubles{};

  explicit ModuloLanes(const DividingGrid& of) : grid_(of.grid), step_(of.step), modulus_(of.modulus) {}

  /// z / step.
  HWY_INLINE Vec Ratio(const Scalar* z) const {
    // A double may be so large or small that only a division is exact.
    if constexpr (std::is_same_v<Scalar, double>) {
      return hn::Div(hn::LoadU(doubles, z), hn::Set(doubles, grid_.step));
    } else {
      const hn::Rebind<float, Doubles> floats;
      return step_.Of(doubles, hn::PromoteTo(doubles, hn::LoadU(floats, z)));
    }
  }
  HWY_INLINE Mask IsNearEnough(Vec there) const {
    return hn::Lt(hn::Abs(there), hn::Set(doubles, largest_near));
  }
  /// The code of a ratio, and whether a receiver recovers it.
  HWY_INLINE Vec Code(Vec ratio, Vec there, Vec uniform, Mask& recovered) const {
    recovered = hn::And(hn::Lt(hn::Abs(ratio), hn::Set(doubles, grid_.largest_ratio)), IsNearEnough(there));
    const auto whole = hn::Floor(ratio);
    const auto fraction = hn::Sub(ratio, whole);
    const auto one = hn::Set(doubles, 1.0);
    if (grid_.nearest) {
      const auto up = hn::IfThenElseZero(hn::Ge(fraction, hn::Set(doubles, 0.5)), one);
      const auto code = hn::Add(whole, up);
      recovered = hn::And(recovered, hn::Eq(Nearest(Word(code), there), code));
      return code;
    }
    // Half a step less than the (k - 2) / 2 of exact arithmetic, since the quotients are rounded.
    const auto reach = hn::Set(doubles, (grid_.modulus - 3.0) / 2.0);
    recovered = hn::And(recovered, hn::Le(hn::Abs(hn::Sub(ratio, there)), reach));
    return hn::Add(whole, hn::IfThenElseZero(hn::Lt(uniform, fraction), one));
  }
  /// Uniform numbers, the multiples of 2^-32 in [0, 1), by the hash of indices from `index` on.
  HWY_INLINE Vec Uniform(ElementKey key, std::uint32_t index) const {
    const hn::Rebind<std::int32_t, Doubles> ints;
    const hn::Rebind<std::uint32_t, Doubles> words;
    const auto indices = hn::Add(hn::Iota(words, 0), hn::Set(words, index));
    const auto bits = ElementBits(words, indices, hn::Set(words, key.a), hn::Set(words, key.b));
    // Converts 32 random bits as a signed number, then adds a half: exact.
    const auto number = hn::BitCast(ints, hn::Xor(bits, hn::Set(words, 0x80000000u)));
    return hn::Add(hn::Mul(hn::PromoteTo(doubles, number), hn::Set(doubles, 0x1p-32)), hn::Set(doubles, 0.5));
  }
  /// A code mod k. The rounded quotient of whole numbers below 2^52 has the floor of the exact one.
  HWY_INLINE Vec Word(Vec code) const {
    const auto times = hn::Floor(modulus_.Of(doubles, code));
    return hn::Sub(code, hn::Mul(times, hn::Set(doubles, grid_.modulus)));
  }
  /// word + k j, with j the integer nearest to (there - word) / k.
  HWY_INLINE Vec Nearest(Vec word, Vec there) const {
    const auto quotient = modulus_.Of(doubles, hn::Sub(there, word));
    const auto times = hn::Floor(hn::Add(quotient, hn::Set(doubles, 0.5)));
    return hn::Add(word, hn::Mul(times, hn::Set(doubles, grid_.modulus)));
  }
  HWY_INLINE void StoreValue(Vec code, Scalar* value) const {
    const auto product = hn::Mul(code, hn::Set(doubles, grid_.step));
    if constexpr (std::is_same_v<Scalar, double>) {
      hn::StoreU(product, doubles, value);
    } else {
      const hn::Rebind<float, Doubles> floats;
      hn::StoreU(hn::DemoteTo(floats, product), floats, value);
    }
  }

 private:
  ModuloGrid grid_;
  Divisor step_;
  Divisor modulus_;
};

using AllLanes = hn::ScalableTag<double>;
using OneLane = hn::CappedTag<double, 1>;

/// Calls visit(a tag, i) for the first number i of each vector, then of each number that is left.
template <class Visit>
HWY_INLINE void ForEachVector(std::size_t size, const Visit& visit) {
  const std::size_t lanes = hn::Lanes(AllLanes());
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) visit(AllLanes(), i);
  for (; i < size; ++i) visit(OneLane(), i);
}

template <class Scalar>
bool Codes(const ModuloGrid& grid, std::span<const Scalar> z, std::span<const Scalar> near, ElementKey key,
           std::uint32_t first, double* codes) {
  const DividingGrid dividing(grid);
  bool all = true;
  const auto visit = [&](auto tag, std::size_t i) HWY_ATTR {
    const ModuloLanes<Scalar, decltype(tag)> lanes(dividing);
    const auto there = near.empty() ? hn::Zero(tag) : lanes.Ratio(near.data() + i);
    auto recovered = hn::Lt(there, there);
    const auto uniform =
        dividing.grid.nearest ? hn::Zero(tag) : lanes.Uniform(key, first + static_cast<std::uint32_t>(i));
    const auto code = lanes.Code(lanes.Ratio(z.data() + i), there, uniform, recovered);
    hn::StoreU(code, tag, codes + i);
    all = all && hn::AllTrue(tag, recovered);
  };
  ForEachVector(z.size(), visit);
  return all;
}

void Words(const ModuloGrid& grid, std::span<const double> codes, std::int32_t* words) {
  const DividingGrid dividing(grid);
  const auto visit = [&](auto tag, std::size_t i) HWY_ATTR {
    const hn::Rebind<std::int32_t, decltype(tag)> ints;
    const ModuloLanes<double, decltype(tag)> lanes(dividing);
    hn::StoreU(hn::DemoteTo(ints, lanes.Word(hn::LoadU(tag, codes.data() + i))), ints, words + i);
  };
  ForEachVector(codes.size(), visit);
}

template <class Scalar>
bool Nearest(const ModuloGrid& grid, std::span<const std::int32_t> words, std::span<const Scalar> near,
             double* codes, Scalar* values) {
  const DividingGrid dividing(grid);
  bool all = true;
  const auto visit = [&](auto tag, std::size_t i) HWY_ATTR {
    const hn::Rebind<std::int32_t, decltype(tag)> ints;
    const ModuloLanes<Scalar, decltype(tag)> lanes(dividing);
    const auto there = near.empty() ? hn::Zero(tag) : lanes.Ratio(near.data() + i);
    const auto word = hn::PromoteTo(tag, hn::LoadU(ints, words.data() + i));
    const auto is_word = hn::Lt(word, hn::Set(tag, dividing.grid.modulus));
    all = all && hn::AllTrue(tag, hn::And(is_word, lanes.IsNearEnough(there)));
    const auto code = lanes.Nearest(word, there);
    hn::StoreU(code, tag, codes + i);
    lanes.StoreValue(code, values + i);
  };
  ForEachVector(words.size(), visit);
  return all;
}

// HWY_EXPORT takes no templates.
bool CodesOfFloats(const ModuloGrid& grid, std::span<const float> z, std::span<const float> near,
                   ElementKey key, std::uint32_t first, double* codes) {
  return Codes(grid, z, near, key, first, codes);
}
bool CodesOfDoubles(const ModuloGrid& grid, std::span<const double> z, std::span<const double> near,
                    ElementKey key, std::uint32_t first, double* codes) {
  return Codes(grid, z, near, key, first, codes);
}
bool NearestToFloats(const ModuloGrid& grid, std::span<const std::int32_t> words, std::span<const float> near,
                     double* codes, float* values) {
  return Nearest(grid, words, near, codes, values);
}
bool NearestToDoubles(const ModuloGrid& grid, std::span<const std::int32_t> words,
                      std::span<const double> near, double* codes, double* values) {
  return Nearest(grid, words, near, codes, values);
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(CodesOfFloats);
HWY_EXPORT(CodesOfDoubles);
HWY_EXPORT(Words);
HWY_EXPORT(NearestToFloats);
HWY_EXPORT(NearestToDoubles);
}  // namespace

template <>
bool modulo_codes<float>(const ModuloGrid& grid, std::span<const float> z, std::span<const float> near,
                         ElementKey key, std::uint32_t first, std::span<double> codes) {
  return HWY_DYNAMIC_DISPATCH(CodesOfFloats)(grid, z, near, key, first, codes.data());
}

template <>
bool modulo_codes<double>(const ModuloGrid& grid, std::span<const double> z, std::span<const double> near,
                          ElementKey key, std::uint32_t first, std::span<double> codes) {
  return HWY_DYNAMIC_DISPATCH(CodesOfDoubles)(grid, z, near, key, first, codes.data());
}

void modulo_words(const ModuloGrid& grid, std::span<const double> codes, std::span<std::int32_t> words) {
  HWY_DYNAMIC_DISPATCH(Words)(grid, codes, words.data());
}

template <>
bool modulo_nearest<float>(const ModuloGrid& grid, std::span<const std::int32_t> words,
                           std::span<const float> near, std::span<double> codes, std::span<float> values) {
  return HWY_DYNAMIC_DISPATCH(NearestToFloats)(grid, words, near, codes.data(), values.data());
}

template <>
bool modulo_nearest<double>(const ModuloGrid& grid, std::span<const std::int32_t> words,
                            std::span<const double> near, std::span<double> codes, std::span<double> values) {
  return HWY_DYNAMIC_DISPATCH(NearestToDoubles)(grid, words, near, codes.data(), values.data());
}

}  // namespace hearsay
#endif
