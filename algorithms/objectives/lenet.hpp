#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/objectives/affine_layer.hpp"
#include "algorithms/objectives/model.hpp"
#include "algorithms/objectives/sample_objective.hpp"

namespace hearsay {

/// LeNet-5 for images, as it is trained today: a convolutional network for classification.
///
///     conv1   5x5, 6 maps of 28x28, ReLU, 2x2 max pooling: 6 maps of 14x14
///     conv2   5x5, 16 maps of 10x10, ReLU, 2x2 max pooling: 16 maps of 5x5, 400 numbers
///     dense1  400 -> 120, ReLU        dense2  120 -> 84, ReLU        dense3  84 -> classes, z
///
///     loss = log sum_k exp(z_k) - z_y
///
/// An image of 32x32 pixels is taken as it is; one of 28x28 gets a frame of 2 zero pixels. It has c = 1 or 3
/// channels. Features are channel by channel, in a channel line by line from the top left, as idx and cifar10
/// data have them. d = 150 c + 60,706 + 85 classes: 61,706 on MNIST, 62,006 on CIFAR-10.
///
/// The parameter vector is W, b of each layer in this order; each is a segment. The W of a convolution is a
/// matrix of maps x (channels * 25), a kernel being 5x5 line by line. It is not flipped: a cross-correlation.
/// The start is `random_start` of the layers; the inputs of a convolution are those of one output pixel.
///
/// Pooling comes before the bias and the ReLU, which are increasing: the same numbers, for a quarter of the
/// pixels. Of equal pixels the first gets the slope. The derivative of the ReLU at 0 is taken as 0.
///
/// Bits: sums are over samples in order and over patches in Eigen's matrix product, which copies its operands
/// first. So they depend on the samples and their order, not on where these lie in memory. As with an mlp,
/// they can differ between machines with caches of other sizes, by which Eigen cuts a long product.
///
/// Memory of a gradient: that of 32 samples, whatever the minibatch or the shard, about 1 MB in float, beside
/// the block of rows that every model reads.
///
/// Source: LeCun, Bottou, Bengio, Haffner 1998, Gradient-based learning applied to document recognition,
/// section II.B. Departs from it as is common: ReLU for the scaled tanh, max for trainable mean pooling,
/// conv2 sees all maps of conv1, the output is affine under softmax instead of radial basis functions.
template <class Scalar>
class LeNet final : public SampleObjective<Scalar> {
 public:
  /// The samples have the feature count of one of `lenet_info`'s images.
  LeNet(Shard<Scalar> shard, double weight, double l2);

  Index dimension() const override { return layers_.back().end(); }
  SegmentTable segments() const override { return segments_of(layers_); }
  Vector<Scalar> initial(std::uint64_t seed) const override { return random_start<Scalar>(layers_, seed); }

 private:
  void compute_outputs(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                       DenseRows<Scalar>& outputs) const override;
  double output_loss(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const override;
  void add_gradient(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                    Vector<Scalar>& gradient) const override;

  ImageShape image_;
  std::vector<AffineLayer> layers_;  ///< conv1, conv2, dense1, dense2, dense3
};

ModelInfo lenet_info();

}  // namespace hearsay
