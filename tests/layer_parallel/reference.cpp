#include "tests/layer_parallel/reference.hpp"

#include <cmath>

namespace hearsay::layer_parallel::test {

namespace {

/// A matrix of outputs x inputs and a bias, at `begin` of the weights.
struct Layer {
  Index begin;
  Index inputs;
  Index outputs;
  Index weight(Index o, Index i) const { return begin + o * inputs + i; }
  Index bias(Index o) const { return begin + outputs * inputs + o; }

  double value(const Vector<double>& x, const std::vector<double>& h, Index o) const {
    double sum = x[bias(o)];
    for (Index i = 0; i < inputs; ++i) sum += x[weight(o, i)] * h[static_cast<std::size_t>(i)];
    return sum;
  }
};

/// Computes the reference sample by sample.
class BackPropagation {
 public:
  BackPropagation(const Shape& shape, const Samples<double>& samples, const Vector<double>& weights)
      : shape_(shape), samples_(samples), weights_(weights), h_(blocks() + 1) {
    layers_.push_back({0, shape.features, shape.width});
    for (Index l = 0; l < shape.blocks; ++l) layers_.push_back({next(), shape.width, shape.width});
    layers_.push_back({next(), shape.width, shape.classes});
    result_.gradient.setZero(weights.size());
    result_.states.assign(blocks() + 1, DenseRows<double>(count(), shape.width));
    result_.adjoints = result_.states;
  }

  Reference run() {
    for (Index s = 0; s < count(); ++s) {
      go_forward(s);
      const std::vector<double> slopes = judge(s);
      go_back(s, slopes);
    }
    return result_;
  }

 private:
  std::size_t blocks() const { return static_cast<std::size_t>(shape_.blocks); }
  std::size_t width() const { return static_cast<std::size_t>(shape_.width); }
  const DenseRows<double>& points() const { return std::get<DenseRows<double>>(samples_.features); }
  Index count() const { return points().rows(); }
  Index next() const { return layers_.back().begin + layers_.back().outputs * (layers_.back().inputs + 1); }
  /// Of block l, before its step.
  double bent(std::size_t l, std::size_t o) const {
    return std::tanh(layers_[l].value(weights_, h_[l - 1], static_cast<Index>(o)));
  }

  void go_forward(Index s) {
    sample_.clear();
    for (Index i = 0; i < shape_.features; ++i) sample_.push_back(points()(s, i));
    h_[0].clear();
    for (Index o = 0; o < shape_.width; ++o) h_[0].push_back(layers_[0].value(weights_, sample_, o));
    for (std::size_t l = 1; l <= blocks(); ++l) {
      h_[l] = h_[l - 1];
      for (std::size_t o = 0; o < width(); ++o) h_[l][o] += shape_.step * bent(l, o);
    }
  }

  /// Adds the loss of the sample. Returns its slopes by the outputs.
  std::vector<double> judge(Index s) {
    std::vector<double> slopes;  // exp(z_k) at first
    double total = 0.0;
    for (Index k = 0; k < shape_.classes; ++k) {
      slopes.push_back(std::exp(layers_.back().value(weights_, h_[blocks()], k)));
      total += slopes.back();
    }
    const auto target = static_cast<std::size_t>(samples_.targets[static_cast<std::size_t>(s)]);
    result_.loss -= std::log(slopes[target] / total) / static_cast<double>(count());
    for (std::size_t k = 0; k < slopes.size(); ++k)
      slopes[k] = (slopes[k] / total - (k == target ? 1.0 : 0.0)) / static_cast<double>(count());
    return slopes;
  }

  /// The slopes by h_blocks, and block by block before it.
  void go_back(Index s, const std::vector<double>& slopes) {
    std::vector<double> adjoint(width(), 0.0);
    pass(layers_.back(), h_[blocks()], slopes, &adjoint);
    note(s, blocks(), adjoint);
    for (std::size_t l = blocks(); l > 0; --l) {
      std::vector<double> inner;
      for (std::size_t o = 0; o < width(); ++o)
        inner.push_back(shape_.step * adjoint[o] * (1.0 - bent(l, o) * bent(l, o)));
      pass(layers_[l], h_[l - 1], inner, &adjoint);
      note(s, l - 1, adjoint);
    }
    pass(layers_[0], sample_, adjoint, nullptr);
  }

  /// Adds the slopes by the weights of a layer, and those by its inputs to `by_input`, if that is wanted.
  void pass(const Layer& layer, const std::vector<double>& in, const std::vector<double>& by_output,
            std::vector<double>* by_input) {
    for (Index o = 0; o < layer.outputs; ++o) {
      const double slope = by_output[static_cast<std::size_t>(o)];
      result_.gradient[layer.bias(o)] += slope;
      for (Index i = 0; i < layer.inputs; ++i) {
        result_.gradient[layer.weight(o, i)] += slope * in[static_cast<std::size_t>(i)];
        if (by_input) (*by_input)[static_cast<std::size_t>(i)] += slope * weights_[layer.weight(o, i)];
      }
    }
  }

  void note(Index s, std::size_t l, const std::vector<double>& adjoint) {
    for (std::size_t i = 0; i < width(); ++i) {
      result_.states[l](s, static_cast<Index>(i)) = h_[l][i];
      result_.adjoints[l](s, static_cast<Index>(i)) = adjoint[i];
    }
  }

  const Shape& shape_;
  const Samples<double>& samples_;
  const Vector<double>& weights_;
  std::vector<Layer> layers_;
  std::vector<double> sample_;
  std::vector<std::vector<double>> h_;  // of the sample, after 0, 1, ... blocks
  Reference result_;
};

}  // namespace

Reference back_propagation(const Shape& network, const Samples<double>& samples,
                           const Vector<double>& weights) {
  return BackPropagation(network, samples, weights).run();
}

}  // namespace hearsay::layer_parallel::test
