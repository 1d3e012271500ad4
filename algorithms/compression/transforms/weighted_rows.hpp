#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace hearsay {

/// The length of a row is a multiple of this: a row is whole vectors on every instruction set.
constexpr std::size_t row_multiple = 16;

/// The rows to sum: row places_j counts weights_j times.
template <class Scalar>
struct WeightedRows {
  std::span<const std::uint32_t> places;
  std::span<const Scalar> weights;  ///< as many as places
};

/// sums_k = sum_j weights_j rows_{places_j, k}. The rows lie one after another and are as long as `sums`, a
/// multiple of row_multiple. Products are rounded and added in ascending j: every instruction set gives the
/// same bits (tested).
template <class Scalar>
void sum_rows(const WeightedRows<Scalar>& chosen, std::span<const Scalar> rows, std::span<Scalar> sums);

/// The same in plain C++; tests compare the kernel for float with it.
template <class Scalar>
void sum_rows_plain(const WeightedRows<Scalar>& chosen, std::span<const Scalar> rows, std::span<Scalar> sums);

}  // namespace hearsay
