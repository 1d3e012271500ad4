#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/objectives/affine_layer.hpp"
#include "algorithms/objectives/model.hpp"
#include "algorithms/objectives/sample_objective.hpp"

namespace hearsay {

/// A multilayer perceptron for classification: fully connected layers with biases, ReLU between them, and
/// softmax cross entropy on the last layer's outputs.
///
///     h_0 = a,   h_l = relu(W_l h_{l-1} + b_l),   z = W_L h_{L-1} + b_L,   loss = log sum_k exp(z_k) - z_y
///
/// The parameter vector is W_1, b_1, W_2, b_2, ... Each W_l and each b_l is a segment; W_l is a matrix of
/// outputs x inputs, row-major. The derivative of relu at 0 is taken as 0. The regularizer covers the biases
/// too.
template <class Scalar>
class Mlp final : public SampleObjective<Scalar> {
 public:
  /// `hidden`: sizes of the hidden layers, at least one.
  Mlp(Shard<Scalar> shard, const std::vector<Index>& hidden, double weight, double l2);

  Index dimension() const override { return layers_.back().end(); }
  SegmentTable segments() const override;

  /// The random start that all peers share: `random_start` of the layers.
  Vector<Scalar> initial(std::uint64_t seed) const override;

 private:
  /// activations[l] = h_{l+1}; the last one is z
  void forward(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
               std::vector<DenseRows<Scalar>>& activations) const;
  void compute_outputs(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                       DenseRows<Scalar>& outputs) const override;
  double output_loss(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const override;
  void add_gradient(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                    Vector<Scalar>& gradient) const override;

  std::vector<AffineLayer> layers_;
};

ModelInfo mlp_info();

}  // namespace hearsay
