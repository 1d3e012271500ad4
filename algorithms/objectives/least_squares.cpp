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

}  // namespace hearsay
