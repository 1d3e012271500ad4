#include "tools/examples/layer_parallel/residual_network.hpp"

#include <cmath>
#include <utility>

namespace hearsay::layer_parallel {

Stages::Stages(const Shape& shape, PeerId count, Index samples) : shape_(shape), samples_(samples) {
  if (static_cast<Index>(count) > shape.blocks)
    throw Misuse(
        "topology.peers", std::to_string(count),
        "every peer has a block at least, and there are " + std::to_string(shape.blocks) + " blocks");
  const auto add_layer = [&](const std::string& name, Index inputs, Index outputs) {
    layers_.push_back({name, inputs, outputs, layers_.empty() ? 0 : layers_.back().end()});
  };
  add_layer("opening", shape.features, shape.width);
  for (Index l = 1; l <= shape.blocks; ++l) add_layer("block " + std::to_string(l), shape.width, shape.width);
  add_layer("closing", shape.width, shape.classes);

  first_.push_back(0);
  for (PeerId k = 1; k < count; ++k) first_.push_back(1 + static_cast<std::size_t>(shape.blocks) * k / count);
  first_.push_back(layers_.size());

  for (PeerId k = 0; k < count; ++k) {
    const Index begin = layers_[first_[k]].begin;
    segments_.push_back({"stage " + std::to_string(k), begin, layers_[first_[k + 1] - 1].end() - begin});
  }
  for (const char* what : {"state ", "adjoint "})
    for (PeerId k = 1; k < count; ++k)
      segments_.push_back({what + std::to_string(k), segments_.back().end(), samples, shape.width});
}

template <class Scalar>
Vector<Scalar> Stages::initial(std::uint64_t seed) const {
  Vector<Scalar> z = Vector<Scalar>::Zero(dimension());
  z.head(weight_count()) = random_start<Scalar>(layers_, seed);
  return z;
}

template <class Scalar>
DenseRows<Scalar> Pass<Scalar>::forward(const Vector<Scalar>& z, DenseRows<Scalar> h) {
  inputs_.clear();
  bent_.clear();
  for (std::size_t l = first_; l < end_; ++l) {
    const AffineLayer& layer = stages_->layers()[l];
    DenseRows<Scalar> output = h * weights_of(layer, z).transpose();
    add_biases(layer, z, output);
    inputs_.push_back(std::move(h));
    bent_.emplace_back();
    if (stages_->is_block(l)) {
      // h_l = h_{l-1} + step tanh(W_l h_{l-1} + b_l)
      output = output.unaryExpr([](Scalar value) { return std::tanh(value); });
      h = inputs_.back() + static_cast<Scalar>(stages_->shape().step) * output;
      bent_.back() = std::move(output);
    } else {
      h = std::move(output);
    }
  }
  return h;
}

template <class Scalar>
void Pass<Scalar>::backward(const Vector<Scalar>& z, DenseRows<Scalar>& slopes,
                            Vector<Scalar>& gradient) const {
  for (std::size_t l = end_; l-- > first_;) {
    const AffineLayer& layer = stages_->layers()[l];
    const DenseRows<Scalar>& bent = bent_[l - first_];
    DenseRows<Scalar> inner = slopes;
    if (stages_->is_block(l))
      inner.array() *= static_cast<Scalar>(stages_->shape().step) * (1 - bent.array().square());
    weights_of(layer, gradient).noalias() += inner.transpose() * inputs_[l - first_];
    add_bias_gradient(layer, inner, gradient);
    if (l == 0) return;
    const DenseRows<Scalar> back = inner * weights_of(layer, z);
    if (stages_->is_block(l))
      slopes += back;
    else
      slopes = back;
  }
}

template Vector<float> Stages::initial<float>(std::uint64_t) const;
template Vector<double> Stages::initial<double>(std::uint64_t) const;
template class Pass<float>;
template class Pass<double>;

}  // namespace hearsay::layer_parallel
