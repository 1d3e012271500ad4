#include "algorithms/objectives/mlp.hpp"

#include <string>
#include <utility>

#include "algorithms/arithmetic/matrix_product.hpp"
#include "algorithms/objectives/cross_entropy.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

template <class Scalar>
Mlp<Scalar>::Mlp(Shard<Scalar> shard, const std::vector<Index>& hidden, double weight, double l2)
    : SampleObjective<Scalar>(std::move(shard), weight, l2) {
  ensure(!hidden.empty(), "a multilayer perceptron has a hidden layer");
  const auto append = [&](Index inputs, Index outputs) {
    ensure(outputs >= 1, "a layer has an output");
    const Index begin = layers_.empty() ? 0 : layers_.back().end();
    layers_.push_back({"layer" + std::to_string(layers_.size() + 1), inputs, outputs, begin});
    return outputs;
  };
  Index inputs = this->feature_count();
  for (const Index outputs : hidden) inputs = append(inputs, outputs);
  append(inputs, this->class_count());
}

template <class Scalar>
SegmentTable Mlp<Scalar>::segments() const {
  return segments_of(layers_);
}

template <class Scalar>
Vector<Scalar> Mlp<Scalar>::initial(std::uint64_t seed) const {
  return random_start<Scalar>(layers_, seed);
}

template <class Scalar>
void Mlp<Scalar>::forward(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                          std::vector<DenseRows<Scalar>>& activations) const {
  activations.resize(layers_.size());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    DenseRows<Scalar>& outputs = activations[l];
    if (l == 0)
      block.multiply(weights_of(layers_[l], x), outputs);
    else
      multiply(layers_[l], x, activations[l - 1], outputs);
    add_biases(layers_[l], x, outputs);
    if (l + 1 < layers_.size()) rectify(outputs);
  }
}

template <class Scalar>
void Mlp<Scalar>::compute_outputs(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                                  DenseRows<Scalar>& outputs) const {
  std::vector<DenseRows<Scalar>> activations;
  forward(x, block, activations);
  outputs.swap(activations.back());
}

template <class Scalar>
double Mlp<Scalar>::output_loss(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const {
  return cross_entropy(outputs, targets);
}

template <class Scalar>
void Mlp<Scalar>::add_gradient(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                               Vector<Scalar>& gradient) const {
  std::vector<DenseRows<Scalar>> activations;
  forward(x, block, activations);
  DenseRows<Scalar> slopes = std::move(activations.back());
  differentiate_cross_entropy(slopes, block.targets());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    add_bias_gradient(layers_[l], slopes, gradient);
    if (l == 0) {
      block.add_product(slopes, weights_of(layers_[l], gradient));
      return;
    }
    add_transpose_product(slopes, activations[l - 1], weights_of(layers_[l], gradient));
    propagate_back(layers_[l], x, activations[l - 1], slopes);
  }
}

template class Mlp<float>;
template class Mlp<double>;

namespace {

ModelShape read_layers(const std::string& text, std::vector<std::string> arguments) {
  if (arguments.empty())
    throw Misuse("model.kind", text, "expected the sizes of the hidden layers, as in mlp(64)");
  return {model_sizes(text, arguments)};
}

double mlp_dimension(const ModelShape& shape, double features, double classes) {
  double inputs = features;
  double dimension = 0.0;
  for (const Index outputs : shape.sizes) {
    dimension += (inputs + 1.0) * static_cast<double>(outputs);
    inputs = static_cast<double>(outputs);
  }
  return dimension + (inputs + 1.0) * classes;
}

}  // namespace

ModelInfo mlp_info() {
  return {.name = "mlp",
          .arguments = "(hidden, ...)",
          .description = "fully connected layers with biases and ReLU, softmax output; random start",
          .parameters = "of all layers",
          .examples = {"mlp(6)", "mlp(7, 5)"},
          .read = read_layers,
          .make = sample_model<Mlp>(Targets::classes, mlp_dimension)};
}

}  // namespace hearsay
