#pragma once

#include "algorithms/objectives/linear_objective.hpp"
#include "algorithms/objectives/model.hpp"

namespace hearsay {

/// Multinomial logistic regression: loss(z, y) = log sum_k exp(z_k) - z_y with z = X a, X a classes x
/// features matrix (row-major, no intercept). Dimension = classes * features; the classes are those of the
/// samples.
template <class Scalar>
class Softmax final : public LinearObjective<Scalar> {
 public:
  Softmax(const Shard<Scalar>& shard, double weight, double l2);

 private:
  double output_loss(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const override;
  void differentiate(DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const override;
};

ModelInfo softmax_info();

}  // namespace hearsay
