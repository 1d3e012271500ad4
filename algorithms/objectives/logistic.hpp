#pragma once

#include "algorithms/objectives/linear_objective.hpp"
#include "algorithms/objectives/model.hpp"

namespace hearsay {

/// Binary logistic regression: loss(z, y) = log(1 + exp(-y z)) with z = a^T x. y is -1 for class 0 and +1 for
/// class 1. Dimension = features. Finite for every finite margin.
template <class Scalar>
class Logistic final : public LinearObjective<Scalar> {
 public:
  Logistic(Shard<Scalar> shard, double weight, double l2);

 private:
  double output_loss(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const override;
  void differentiate(DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const override;
};

ModelInfo logistic_info();

}  // namespace hearsay
