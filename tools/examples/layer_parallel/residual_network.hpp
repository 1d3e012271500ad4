#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/hearsay.hpp"

namespace hearsay::layer_parallel {

/// A residual network for classification, as steps of an ordinary differential equation (forward Euler):
///
///     h_0 = W_0 a + b_0                         a in R^features, h in R^width
///     h_l = h_{l-1} + step tanh(W_l h_{l-1} + b_l)              l = 1, ..., blocks
///     z   = W h_blocks + b                      loss = log sum_k exp(z_k) - z_y
struct Shape {
  Index features;
  Index width;
  Index blocks;
  Index classes;
  double step;
};

/// The network cut into K stages, and its variables as one vector z:
///
///     theta_0, ..., theta_{K-1}, lambda_1, ..., lambda_{K-1}, kappa_1, ..., kappa_{K-1}
///
/// theta_k are the weights of stage k ("stage k"). The first stage has W_0, the last one W, and the blocks
/// are dealt out evenly. lambda_k ("state k") and kappa_k ("adjoint k") have samples x width entries: what
/// enters stage k, and the multiplier of the constraint that it be what stage k - 1 puts out. The weights lie
/// alike for every K.
class Stages {
 public:
  /// Throws Misuse (key topology.peers) if there are more stages than blocks.
  Stages(const Shape& shape, PeerId count, Index samples);

  const Shape& shape() const { return shape_; }
  PeerId count() const { return static_cast<PeerId>(first_.size()) - 1; }
  Index samples() const { return samples_; }
  Index weight_count() const { return layers_.back().end(); }
  const SegmentTable& segments() const { return segments_; }
  Index dimension() const { return segments_.back().end(); }

  /// The layers of all stages, W_0 first; those of stage k are first(k), ..., first(k + 1) - 1.
  const std::vector<AffineLayer>& layers() const { return layers_; }
  std::size_t first(PeerId stage) const { return first_[stage]; }
  bool is_block(std::size_t layer) const { return layer > 0 && layer + 1 < layers_.size(); }

  /// Where lambda_k and kappa_k begin in z, k = 1, ..., K - 1.
  Index state(PeerId k) const { return weight_count() + (k - 1) * samples_ * shape_.width; }
  Index adjoint(PeerId k) const { return state(k) + (count() - 1) * samples_ * shape_.width; }

  /// A common start: random weights, the rest 0.
  template <class Scalar>
  Vector<Scalar> initial(std::uint64_t seed) const;

 private:
  Shape shape_;
  Index samples_;
  std::vector<AffineLayer> layers_;
  std::vector<std::size_t> first_;
  SegmentTable segments_;
};

/// One pass through some layers, for a block of samples, one per row.
template <class Scalar>
class Pass {
 public:
  /// Through the layers of stage `stage`. `stages` outlives the pass.
  Pass(const Stages& stages, PeerId stage)
      : stages_(&stages), first_(stages.first(stage)), end_(stages.first(stage + 1)) {}

  /// Returns what the layers make of `h`.
  DenseRows<Scalar> forward(const Vector<Scalar>& z, DenseRows<Scalar> h);
  /// Given the slopes of a function of what `forward` has returned, adds the gradient of the function with
  /// respect to the weights, and replaces the slopes by those of what went in. Those of the samples
  /// themselves nobody needs: in the first stage `slopes` is unspecified.
  void backward(const Vector<Scalar>& z, DenseRows<Scalar>& slopes, Vector<Scalar>& gradient) const;

 private:
  const Stages* stages_;
  std::size_t first_;
  std::size_t end_;
  std::vector<DenseRows<Scalar>> inputs_;  // of each layer
  std::vector<DenseRows<Scalar>> bent_;    // tanh(W h + b), of each block; else empty
};

}  // namespace hearsay::layer_parallel
