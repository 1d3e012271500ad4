#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/objectives/samples.hpp"

namespace hearsay {

/// A layer of a network: z = W h + b. In the parameter vector W (outputs x inputs, row-major) begins at
/// `begin`, and b follows. A convolution is such a layer, too: h is then a patch of its input.
struct AffineLayer {
  std::string name;
  Index inputs;
  Index outputs;
  Index begin;

  Index weight_count() const { return inputs * outputs; }
  Index biases() const { return begin + weight_count(); }
  Index end() const { return biases() + outputs; }
};

/// Returns the segments NAME.weights and NAME.biases of each layer. The layers follow each other, no gaps.
SegmentTable segments_of(std::span<const AffineLayer> layers);

/// Returns a random start of a network with ReLU behind all layers but the last: weights N(0, 2/inputs) (He
/// et al. 2015, arXiv:1502.01852) and N(0, 2/(inputs + outputs)) in the last layer (Glorot, Bengio 2010),
/// biases 0.
template <class Scalar>
Vector<Scalar> random_start(std::span<const AffineLayer> layers, std::uint64_t seed);

/// W, in the parameter vector x or in a gradient
template <class Scalar>
Eigen::Map<const DenseRows<Scalar>> weights_of(const AffineLayer& layer, const Vector<Scalar>& x) {
  return {x.data() + layer.begin, layer.outputs, layer.inputs};
}
template <class Scalar>
Eigen::Map<DenseRows<Scalar>> weights_of(const AffineLayer& layer, Vector<Scalar>& gradient) {
  return {gradient.data() + layer.begin, layer.outputs, layer.inputs};
}

/// z = h W^T, samples x outputs, with h of samples x inputs
template <class Scalar>
void multiply(const AffineLayer& layer, const Vector<Scalar>& x, const DenseRows<Scalar>& h,
              DenseRows<Scalar>& z);

/// Adds b to each row of z, samples x outputs.
template <class Scalar>
void add_biases(const AffineLayer& layer, const Vector<Scalar>& x, DenseRows<Scalar>& z);

/// z <- max(z, 0), entry by entry. NaN stays NaN.
template <class Scalar>
void rectify(DenseRows<Scalar>& z);

/// Adds the gradient of b: the sum of the slopes dloss/dz over the samples, row by row.
template <class Scalar>
void add_bias_gradient(const AffineLayer& layer, const DenseRows<Scalar>& slopes, Vector<Scalar>& gradient);

/// Replaces the slopes dloss/dz of the layer (samples x outputs) by those of the layer before it, whose
/// rectified outputs are h: (slopes W), and 0 where h is 0.
template <class Scalar>
void propagate_back(const AffineLayer& layer, const Vector<Scalar>& x, const DenseRows<Scalar>& h,
                    DenseRows<Scalar>& slopes);

}  // namespace hearsay
