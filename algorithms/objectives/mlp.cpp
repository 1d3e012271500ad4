#include "algorithms/objectives/mlp.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/objectives/cross_entropy.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

template <class Scalar>
using ConstMatrix = Eigen::Map<const DenseRows<Scalar>>;
template <class Scalar>
using ConstRow = Eigen::Map<const Eigen::Matrix<Scalar, 1, Eigen::Dynamic>>;

}  // namespace

template <class Scalar>
Mlp<Scalar>::Mlp(Shard<Scalar> shard, const std::vector<Index>& hidden, double weight, double l2)
    : SampleObjective<Scalar>(std::move(shard), weight, l2) {
  ensure(!hidden.empty(), "a multilayer perceptron has a hidden layer");
  Index inputs = this->feature_count();
  const auto append = [&](Index outputs) {
    ensure(outputs >= 1, "a layer has an output");
    layers_.push_back({inputs, outputs, dimension_, dimension_ + inputs * outputs});
    dimension_ += (inputs + 1) * outputs;
    inputs = outputs;
  };
  for (const Index outputs : hidden) append(outputs);
  append(this->class_count());
}

template <class Scalar>
SegmentTable Mlp<Scalar>::segments() const {
  SegmentTable table;
  for (const Layer& layer : layers_) {
    const std::string name = "layer" + std::to_string(table.size() / 2 + 1);
    table.push_back({name + ".weights", layer.weights, layer.outputs, layer.inputs});
    table.push_back({name + ".biases", layer.biases, layer.outputs});
  }
  return table;
}

template <class Scalar>
Vector<Scalar> Mlp<Scalar>::initial(std::uint64_t seed) const {
  Vector<Scalar> x = Vector<Scalar>::Zero(dimension_);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const bool last = l + 1 == layers_.size();
    const double variance = 2.0 / static_cast<double>(last ? layer.inputs + layer.outputs : layer.inputs);
    RandomStream stream(seed, 0, l, Purpose::initial_model);
    for (Scalar& weight : x.segment(layer.weights, layer.inputs * layer.outputs))
      weight = static_cast<Scalar>(std::sqrt(variance) * stream.normal());
  }
  return x;
}

template <class Scalar>
void Mlp<Scalar>::forward(const Vector<Scalar>& x, const SampleBlock<Scalar>& block,
                          std::vector<DenseRows<Scalar>>& activations) const {
  activations.resize(layers_.size());
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const ConstMatrix<Scalar> weights(x.data() + layer.weights, layer.outputs, layer.inputs);
    DenseRows<Scalar>& outputs = activations[l];
    if (l == 0)
      block.multiply(weights, outputs);
    else
      outputs.noalias() = activations[l - 1] * weights.transpose();
    outputs.rowwise() += ConstRow<Scalar>(x.data() + layer.biases, layer.outputs);
    if (l + 1 < layers_.size())
      outputs = outputs.unaryExpr([](Scalar value) { return value < Scalar{0} ? Scalar{0} : value; });
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
  DenseRows<Scalar> residuals = std::move(activations.back());
  differentiate_cross_entropy(residuals, block.targets());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const Layer& layer = layers_[l];
    // The bias's gradient is the sum over the samples, row by row.
    Eigen::Map<Eigen::Matrix<Scalar, 1, Eigen::Dynamic>> biases(gradient.data() + layer.biases,
                                                                layer.outputs);
    for (Index s = 0; s < residuals.rows(); ++s) biases += residuals.row(s);
    Eigen::Map<DenseRows<Scalar>> weights_gradient(gradient.data() + layer.weights, layer.outputs,
                                                   layer.inputs);
    if (l == 0) {
      block.add_product(residuals, weights_gradient);
      return;
    }
    weights_gradient.noalias() += residuals.transpose() * activations[l - 1];
    const ConstMatrix<Scalar> weights(x.data() + layer.weights, layer.outputs, layer.inputs);
    const DenseRows<Scalar> backward = residuals * weights;
    residuals = backward.binaryExpr(activations[l - 1], [](Scalar slope, Scalar activation) {
      return activation > Scalar{0} ? slope : Scalar{0};
    });
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

double dimension_of(const ModelShape& shape, double features, double classes) {
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
          .make = sample_model<Mlp>(Targets::classes, dimension_of)};
}

}  // namespace hearsay
