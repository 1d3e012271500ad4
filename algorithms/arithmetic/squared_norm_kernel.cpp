#include "algorithms/arithmetic/squared_norm_kernel.hpp"

#include <type_traits>

#include "algorithms/arithmetic/lane_tree.hpp"

// Compile every target that this machine could run, the scalar one included: a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/arithmetic/squared_norm_kernel.cpp"
#include <hwy/foreach_target.h>
// This include comes last: foreach_target.h includes all that follows once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class Scalar>
double SquaredNorm(const Scalar* HWY_RESTRICT x, std::size_t n) {
  const hn::CappedTag<double, lane_count> doubles;
  using Doubles = std::remove_const_t<decltype(doubles)>;
  constexpr std::size_t width = hn::MaxLanes(Doubles());
  constexpr std::size_t vectors = lane_count / width;
  const hn::Rebind<Scalar, Doubles> scalars;

  hn::Vec<Doubles> sums[vectors];
  for (auto& sum : sums) sum = hn::Zero(doubles);
  std::size_t i = 0;
  for (; i + lane_count <= n; i += lane_count)
    for (std::size_t k = 0; k < vectors; ++k) {
      const auto loaded = hn::LoadU(scalars, x + i + k * width);
      if constexpr (std::is_same_v<Scalar, float>) {
        const auto value = hn::PromoteTo(doubles, loaded);
        sums[k] = hn::Add(sums[k], hn::Mul(value, value));
      } else {
        sums[k] = hn::Add(sums[k], hn::Mul(loaded, loaded));
      }
    }
  std::array<double, lane_count> lanes;
  for (std::size_t k = 0; k < vectors; ++k) hn::StoreU(sums[k], doubles, lanes.data() + k * width);
  for (std::size_t lane = 0; i < n; ++i, ++lane) {
    const double value = static_cast<double>(x[i]);
    lanes[lane] += value * value;
  }
  return folded(lanes);
}

double SquaredNormOfFloats(const float* x, std::size_t n) { return SquaredNorm(x, n); }
double SquaredNormOfDoubles(const double* x, std::size_t n) { return SquaredNorm(x, n); }

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(SquaredNormOfFloats);
HWY_EXPORT(SquaredNormOfDoubles);
}  // namespace

double squared_norm_in_vectors(std::span<const float> x) {
  return HWY_DYNAMIC_DISPATCH(SquaredNormOfFloats)(x.data(), x.size());
}

double squared_norm_in_vectors(std::span<const double> x) {
  return HWY_DYNAMIC_DISPATCH(SquaredNormOfDoubles)(x.data(), x.size());
}

}  // namespace hearsay
#endif
