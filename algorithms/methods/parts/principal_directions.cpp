#include "algorithms/methods/parts/principal_directions.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/methods/parts/low_rank.hpp"
#include "topology/symmetric_eigen.hpp"

namespace hearsay {

namespace {

using Index = Eigen::Index;

/// M M', the rows of M being `rows`.
template <class Scalar>
Eigen::MatrixXd gram_matrix(const std::vector<std::span<const Scalar>>& rows) {
  const auto count = static_cast<Index>(rows.size());
  Eigen::MatrixXd gram(count, count);
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j <= i; ++j)
      gram(i, j) = gram(j, i) =
          dot<Scalar>(rows[static_cast<std::size_t>(i)], rows[static_cast<std::size_t>(j)]);
  return gram;
}

/// Turns a direction so that its entry of largest magnitude is positive.
template <class Scalar>
void fix_sign(std::span<Scalar> direction) {
  const auto largest = std::ranges::max_element(
      direction, [](Scalar one, Scalar other) { return std::abs(one) < std::abs(other); });
  if (*largest > 0) return;
  for (Scalar& entry : direction) entry = -entry;
}

}  // namespace

template <class Scalar>
std::size_t principal_directions(std::span<const Scalar> matrix, std::size_t length,
                                 std::span<Scalar> directions) {
  std::ranges::fill(directions, Scalar(0));
  std::vector<std::span<const Scalar>> rows;
  for (auto rest = matrix; !rest.empty(); rest = rest.subspan(length)) rows.push_back(rest.first(length));
  if (rows.empty() || directions.empty()) return 0;
  const Eigen::MatrixXd gram = gram_matrix(rows);
  if (!gram.allFinite()) return 0;

  // M M' = U S^2 U'
  const SymmetricEigen eigen = symmetric_eigen(gram);
  const auto count = static_cast<Index>(rows.size());
  const double largest = eigen.values(count - 1);
  const std::size_t most = std::min(rows.size(), directions.size() / length);
  std::size_t found = 0;
  std::vector<double> direction(length);
  while (found < most) {
    const Index k = count - 1 - static_cast<Index>(found);
    if (!(largest > 0.0 && eigen.values(k) > 1e-12 * largest)) break;

    // v_k = M' u_k / s_k
    std::ranges::fill(direction, 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double share = eigen.vectors(static_cast<Index>(i), k);
      for (std::size_t j = 0; j < length; ++j) direction[j] += share * static_cast<double>(rows[i][j]);
    }
    const double size = std::sqrt(squared_norm<double>(direction));
    for (std::size_t j = 0; j < length; ++j)
      directions[found * length + j] = static_cast<Scalar>(direction[j] / size);
    ++found;
  }

  // made orthonormal again
  if (found > 0) orthonormalise<Scalar>(directions.first(found * length), {}, found);
  for (std::size_t k = 0; k < found; ++k) fix_sign(directions.subspan(k * length, length));
  return found;
}

template std::size_t principal_directions<float>(std::span<const float>, std::size_t, std::span<float>);
template std::size_t principal_directions<double>(std::span<const double>, std::size_t, std::span<double>);

}  // namespace hearsay
