#include "algorithms/methods/parts/low_rank.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/arithmetic/reductions.hpp"

namespace hearsay {

namespace {

/// Makes `column` orthogonal to the `earlier` columns, in two passes because of rounding, and of length 1.
/// False if next to nothing of it remains; `column` is then unusable.
template <class Scalar>
bool orthonormalise_one(std::span<Scalar> column, std::span<const Scalar> earlier) {
  const double before = std::sqrt(squared_norm<Scalar>(column));
  for (int pass = 0; pass < 2; ++pass)
    for (auto rest = earlier; !rest.empty(); rest = rest.subspan(column.size())) {
      const auto other = rest.first(column.size());
      const auto along = static_cast<Scalar>(dot<Scalar>(column, other));
      for (std::size_t i = 0; i < column.size(); ++i) column[i] -= along * other[i];
    }
  const double left = std::sqrt(squared_norm<Scalar>(column));
  // A column that depends on the earlier ones leaves rounding errors, which have no direction.
  constexpr double rounding = 64.0 * std::numeric_limits<Scalar>::epsilon();
  if (!(left > 1e-30 && left > rounding * before)) return false;
  for (Scalar& entry : column) entry = static_cast<Scalar>(static_cast<double>(entry) / left);
  return true;
}

}  // namespace

template <class Scalar>
void times(std::span<const Scalar> matrix, std::span<const Scalar> q, std::span<Scalar> result) {
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<Scalar>(dot<Scalar>(matrix.subspan(i * q.size(), q.size()), q));
}

template <class Scalar>
void transposed_times(std::span<const Scalar> matrix, std::span<const Scalar> p, std::span<Scalar> result) {
  std::ranges::fill(result, Scalar(0));
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < result.size(); ++j) result[j] += p[i] * matrix[i * result.size() + j];
}

template <class Scalar>
void add_product(Scalar factor, std::span<const Scalar> p, std::span<const Scalar> q,
                 std::span<Scalar> matrix) {
  for (std::size_t i = 0; i < p.size(); ++i)
    for (std::size_t j = 0; j < q.size(); ++j) matrix[i * q.size() + j] += factor * (p[i] * q[j]);
}

template <class Scalar>
void orthonormalise(std::span<Scalar> columns, std::span<const Scalar> before, std::size_t rank) {
  const std::size_t length = columns.size() / rank;
  for (std::size_t k = 0; k < rank; ++k) {
    const auto column = columns.subspan(k * length, length);
    const std::span<const Scalar> earlier = columns.first(k * length);
    if (orthonormalise_one(column, earlier)) continue;
    bool found = false;
    if (!before.empty()) {
      std::ranges::copy(before.subspan(k * length, length), column.begin());
      found = orthonormalise_one(column, earlier);
    }
    for (std::size_t unit = 0; !found && unit < length; ++unit) {
      std::ranges::fill(column, Scalar(0));
      column[unit] = 1;
      found = orthonormalise_one(column, earlier);
    }
    // The columns are NaN because the model diverges. The run ends with that reason.
    if (!found) std::ranges::fill(column, Scalar(0));
  }
}

template void times<float>(std::span<const float>, std::span<const float>, std::span<float>);
template void times<double>(std::span<const double>, std::span<const double>, std::span<double>);
template void transposed_times<float>(std::span<const float>, std::span<const float>, std::span<float>);
template void transposed_times<double>(std::span<const double>, std::span<const double>, std::span<double>);
template void add_product<float>(float, std::span<const float>, std::span<const float>, std::span<float>);
template void add_product<double>(double, std::span<const double>, std::span<const double>,
                                  std::span<double>);
template void orthonormalise<float>(std::span<float>, std::span<const float>, std::size_t);
template void orthonormalise<double>(std::span<double>, std::span<const double>, std::size_t);

}  // namespace hearsay
