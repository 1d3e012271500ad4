#include "algorithms/compression/transforms/kashin_kernels.hpp"

#include <algorithm>

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/transforms/kashin_kernels.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Scalar>
void ClipAndAdd(std::span<Scalar> c, Scalar factor, Scalar limit, Scalar* HWY_RESTRICT a) {
  const hn::ScalableTag<Scalar> scalars;
  const std::size_t lanes = hn::Lanes(scalars);
  const auto most = hn::Set(scalars, limit);
  const auto least = hn::Neg(most);
  std::size_t i = 0;
  for (; i + lanes <= c.size(); i += lanes) {
    // By comparisons, since minimum and maximum of NaN differ from one instruction set to the other.
    auto value = hn::Mul(hn::LoadU(scalars, c.data() + i), hn::Set(scalars, factor));
    value = hn::IfThenElse(hn::Lt(value, least), least, value);
    value = hn::IfThenElse(hn::Lt(most, value), most, value);
    hn::StoreU(value, scalars, c.data() + i);
    hn::StoreU(hn::Add(hn::LoadU(scalars, a + i), value), scalars, a + i);
  }
  for (; i < c.size(); ++i) {
    c[i] = std::min(std::max(c[i] * factor, -limit), limit);
    a[i] += c[i];
  }
}

template <class Scalar>
void CombineHalves(std::span<const Scalar> first, const Scalar* second, Scalar factor, bool subtract,
                   Scalar* v) {
  const hn::ScalableTag<Scalar> scalars;
  const std::size_t lanes = hn::Lanes(scalars);
  const auto half = hn::Set(scalars, factor);
  std::size_t i = 0;
  for (; i + lanes <= first.size(); i += lanes) {
    const auto sum = hn::Add(hn::Mul(half, hn::LoadU(scalars, first.data() + i)),
                             hn::Mul(half, hn::LoadU(scalars, second + i)));
    hn::StoreU(subtract ? hn::Sub(hn::LoadU(scalars, v + i), sum) : sum, scalars, v + i);
  }
  for (; i < first.size(); ++i) {
    const Scalar sum = factor * first[i] + factor * second[i];
    v[i] = subtract ? v[i] - sum : sum;
  }
}

// HWY_EXPORT takes no templates.
void ClipAndAddFloats(std::span<float> c, float factor, float limit, float* a) {
  ClipAndAdd(c, factor, limit, a);
}
void ClipAndAddDoubles(std::span<double> c, double factor, double limit, double* a) {
  ClipAndAdd(c, factor, limit, a);
}
void CombineFloats(std::span<const float> first, const float* second, float factor, bool subtract, float* v) {
  CombineHalves(first, second, factor, subtract, v);
}
void CombineDoubles(std::span<const double> first, const double* second, double factor, bool subtract,
                    double* v) {
  CombineHalves(first, second, factor, subtract, v);
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(ClipAndAddFloats);
HWY_EXPORT(ClipAndAddDoubles);
HWY_EXPORT(CombineFloats);
HWY_EXPORT(CombineDoubles);
}  // namespace

void clip_and_add(std::span<float> c, float factor, float limit, std::span<float> a) {
  HWY_DYNAMIC_DISPATCH(ClipAndAddFloats)(c, factor, limit, a.data());
}

void clip_and_add(std::span<double> c, double factor, double limit, std::span<double> a) {
  HWY_DYNAMIC_DISPATCH(ClipAndAddDoubles)(c, factor, limit, a.data());
}

void combine_halves(std::span<const float> first, std::span<const float> second, float factor, bool subtract,
                    std::span<float> v) {
  HWY_DYNAMIC_DISPATCH(CombineFloats)(first, second.data(), factor, subtract, v.data());
}

void combine_halves(std::span<const double> first, std::span<const double> second, double factor,
                    bool subtract, std::span<double> v) {
  HWY_DYNAMIC_DISPATCH(CombineDoubles)(first, second.data(), factor, subtract, v.data());
}

}  // namespace hearsay
#endif
