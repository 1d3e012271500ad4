#include "algorithms/objectives/least_squares.hpp"

#include <utility>

namespace hearsay {

template <class Scalar>
LeastSquares<Scalar>::LeastSquares(Shard<Scalar> shard, double weight, double l2)
    : LinearObjective<Scalar>(std::move(shard), 1, weight, l2) {}

template <class Scalar>
double LeastSquares<Scalar>::output_loss(const DenseRows<Scalar>& outputs,
                                         std::span<const Scalar> targets) const {
  double sum = 0.0;
  for (std::size_t s = 0; s < targets.size(); ++s) {
    const double residual = static_cast<double>(outputs.data()[s]) - static_cast<double>(targets[s]);
    sum += 0.5 * residual * residual;
  }
  return sum;
}

template <class Scalar>
void LeastSquares<Scalar>::differentiate(DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const {
  for (std::size_t s = 0; s < targets.size(); ++s) outputs.data()[s] -= targets[s];
}

template class LeastSquares<float>;
template class LeastSquares<double>;

ModelInfo least_squares_info() {
  return {.name = "least-squares",
          .description = "numeric targets, 1/2 (a^T x - b)^2",
          .parameters = "features",
          .has_intercept = false,
          .examples = {"least-squares"},
          .make = sample_model<LeastSquares>(
              Targets::numbers, [](const ModelShape&, double features, double) { return features; })};
}

}  // namespace hearsay
