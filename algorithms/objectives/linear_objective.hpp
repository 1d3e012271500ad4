#pragma once

#include "algorithms/objectives/sample_objective.hpp"

namespace hearsay {

/// A model whose loss depends on a sample a through the outputs z = X a only. X is the parameter vector as a
/// matrix of outputs x features, row-major, with no intercept: grad_X loss(X a, y) = (dloss/dz) a^T. Derived
/// classes define the loss of z and its derivative.
template <class Scalar>
class LinearObjective : public SampleObjective<Scalar> {
 public:
  LinearObjective(Shard<Scalar> shard, Index output_count, double weight, double l2);

  Index dimension() const final { return output_count_ * this->feature_count(); }
  /// <(dloss/dz) a^T, V> = (dloss/dz)^T V a, and ||(dloss/dz) a^T|| = ||dloss/dz|| ||a||.
  /// So no gradient is made.
  void gradient_products(const Vector<Scalar>& x, std::span<const Index> samples,
                         const DenseRows<Scalar>& directions, DenseRows<double>& products,
                         Vector<double>& squares) const final;
  SegmentTable segments() const final { return {{"weights", 0, output_count_, this->feature_count()}}; }

 protected:
  /// Replaces each output z by dloss/dz.
  virtual void differentiate(DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const = 0;

 private:
  void compute_outputs(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                       DenseRows<Scalar>& outputs) const final;
  void add_gradient(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                    Vector<Scalar>& gradient) const final;

  Index output_count_;
};

}  // namespace hearsay
