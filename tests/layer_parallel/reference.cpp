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

}  // namespace

Reference back_propagation(const Shape& shape, const Samples<double>& samples,
                           const Vector<double>& weights) {
  const auto& points = std::get<DenseRows<double>>(samples.features);
  const Index count = points.rows();
  const auto width = static_cast<std::size_t>(shape.width);
  const auto blocks = static_cast<std::size_t>(shape.blocks);
  std::vector<Layer> layers = {{0, shape.features, shape.width}};
  const auto next = [&] { return layers.back().begin + layers.back().outputs * (layers.back().inputs + 1); };
  for (std::size_t l = 0; l < blocks; ++l) layers.push_back({next(), shape.width, shape.width});
  layers.push_back({next(), shape.width, shape.classes});

  Reference result;
  result.gradient.setZero(weights.size());
  result.states.assign(blocks + 1, DenseRows<double>(count, shape.width));
  result.adjoints = result.states;
  for (Index s = 0; s < count; ++s) {
    std::vector<double> sample;
    for (Index i = 0; i < shape.features; ++i) sample.push_back(points(s, i));
    std::vector<std::vector<double>> h(1);
    for (Index o = 0; o < shape.width; ++o) h[0].push_back(layers[0].value(weights, sample, o));
    for (std::size_t l = 1; l <= blocks; ++l) {
      h.push_back(h.back());
      for (std::size_t o = 0; o < width; ++o)
        h[l][o] += shape.step * std::tanh(layers[l].value(weights, h[l - 1], static_cast<Index>(o)));
    }
    const Layer& closing = layers.back();
    std::vector<double> slopes;  // exp(z_k), then the loss's slopes
    double total = 0.0;
    for (Index k = 0; k < shape.classes; ++k) {
      slopes.push_back(std::exp(closing.value(weights, h[blocks], k)));
      total += slopes.back();
    }
    const auto target = static_cast<std::size_t>(samples.targets[static_cast<std::size_t>(s)]);
    result.loss -= std::log(slopes[target] / total) / static_cast<double>(count);
    for (std::size_t k = 0; k < slopes.size(); ++k)
      slopes[k] = (slopes[k] / total - (k == target ? 1.0 : 0.0)) / static_cast<double>(count);

    // The slopes by h_blocks, and block by block before it.
    std::vector<double> adjoint(width, 0.0);
    const auto through = [&](const Layer& layer, const std::vector<double>& in,
                             const std::vector<double>& by_output, std::vector<double>* by_input) {
      for (Index o = 0; o < layer.outputs; ++o) {
        const double slope = by_output[static_cast<std::size_t>(o)];
        result.gradient[layer.bias(o)] += slope;
        for (Index i = 0; i < layer.inputs; ++i) {
          result.gradient[layer.weight(o, i)] += slope * in[static_cast<std::size_t>(i)];
          if (by_input) (*by_input)[static_cast<std::size_t>(i)] += slope * weights[layer.weight(o, i)];
        }
      }
    };
    const auto note = [&](std::size_t l) {
      for (std::size_t i = 0; i < width; ++i) {
        result.states[l](s, static_cast<Index>(i)) = h[l][i];
        result.adjoints[l](s, static_cast<Index>(i)) = adjoint[i];
      }
    };
    through(closing, h[blocks], slopes, &adjoint);
    note(blocks);
    for (std::size_t l = blocks; l > 0; --l) {
      std::vector<double> inner;
      for (std::size_t o = 0; o < width; ++o) {
        const double bent = std::tanh(layers[l].value(weights, h[l - 1], static_cast<Index>(o)));
        inner.push_back(shape.step * adjoint[o] * (1.0 - bent * bent));
      }
      through(layers[l], h[l - 1], inner, &adjoint);
      note(l - 1);
    }
    through(layers[0], sample, adjoint, nullptr);
  }
  return result;
}

}  // namespace hearsay::layer_parallel::test
