#pragma once

#include "algorithms/objectives/linear_objective.hpp"
#include "algorithms/objectives/model.hpp"

namespace hearsay {

/// Linear regression: loss(z, b) = 1/2 (z - b)^2 with z = a^T x. Dimension = features.
template <class Scalar>
class LeastSquares final : public LinearObjective<Scalar> {
 public:
  LeastSquares(Shard<Scalar> shard, double weight, double l2);

 private:
  double output_loss(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const override;
  void differentiate(DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const override;
};

ModelInfo least_squares_info();

}  // namespace hearsay
