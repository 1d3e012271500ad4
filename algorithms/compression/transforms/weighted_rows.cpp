#include "algorithms/compression/transforms/weighted_rows.hpp"

#include <algorithm>

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/transforms/weighted_rows.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, row_multiple>;
constexpr Floats floats;

/// The sums of `vectors` = 1, 2 or 4 neighboring vectors, which stay in registers.
template <int vectors>
HWY_INLINE void SumTile(const WeightedRows<float>& chosen, const float* HWY_RESTRICT rows, std::size_t length,
                        float* HWY_RESTRICT sums) {
  const std::size_t lanes = hn::Lanes(floats);
  auto sum0 = hn::Zero(floats);
  auto sum1 = sum0, sum2 = sum0, sum3 = sum0;
  for (std::size_t j = 0; j < chosen.places.size(); ++j) {
    const auto weight = hn::Set(floats, chosen.weights[j]);
    const float* row = rows + chosen.places[j] * length;
    sum0 = hn::Add(sum0, hn::Mul(weight, hn::LoadU(floats, row)));
    if constexpr (vectors > 1) sum1 = hn::Add(sum1, hn::Mul(weight, hn::LoadU(floats, row + lanes)));
    if constexpr (vectors > 2) {
      sum2 = hn::Add(sum2, hn::Mul(weight, hn::LoadU(floats, row + 2 * lanes)));
      sum3 = hn::Add(sum3, hn::Mul(weight, hn::LoadU(floats, row + 3 * lanes)));
    }
  }
  hn::StoreU(sum0, floats, sums);
  if constexpr (vectors > 1) hn::StoreU(sum1, floats, sums + lanes);
  if constexpr (vectors > 2) {
    hn::StoreU(sum2, floats, sums + 2 * lanes);
    hn::StoreU(sum3, floats, sums + 3 * lanes);
  }
}

void SumRows(const WeightedRows<float>& chosen, const float* rows, std::size_t length, float* sums) {
  const std::size_t lanes = hn::Lanes(floats);
  std::size_t k = 0;
  for (; k + 4 * lanes <= length; k += 4 * lanes) SumTile<4>(chosen, rows + k, length, sums + k);
  for (; k + 2 * lanes <= length; k += 2 * lanes) SumTile<2>(chosen, rows + k, length, sums + k);
  for (; k < length; k += lanes) SumTile<1>(chosen, rows + k, length, sums + k);
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {
HWY_EXPORT(SumRows);
}  // namespace

template <class Scalar>
void sum_rows_plain(const WeightedRows<Scalar>& chosen, std::span<const Scalar> rows,
                    std::span<Scalar> sums) {
  std::ranges::fill(sums, Scalar(0));
  for (std::size_t j = 0; j < chosen.places.size(); ++j) {
    const auto row = rows.subspan(chosen.places[j] * sums.size(), sums.size());
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += chosen.weights[j] * row[k];
  }
}

template <>
void sum_rows<float>(const WeightedRows<float>& chosen, std::span<const float> rows, std::span<float> sums) {
  HWY_DYNAMIC_DISPATCH(SumRows)(chosen, rows.data(), sums.size(), sums.data());
}

template <>
void sum_rows<double>(const WeightedRows<double>& chosen, std::span<const double> rows,
                      std::span<double> sums) {
  sum_rows_plain(chosen, rows, sums);
}

template void sum_rows_plain<float>(const WeightedRows<float>&, std::span<const float>, std::span<float>);
template void sum_rows_plain<double>(const WeightedRows<double>&, std::span<const double>, std::span<double>);

}  // namespace hearsay
#endif
