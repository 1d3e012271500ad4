#include "algorithms/objectives/affine_layer.hpp"

#include <cmath>

#include "algorithms/arithmetic/matrix_product.hpp"
#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

SegmentTable segments_of(std::span<const AffineLayer> layers) {
  SegmentTable table;
  for (const AffineLayer& layer : layers) {
    table.push_back({layer.name + ".weights", layer.begin, layer.outputs, layer.inputs});
    table.push_back({layer.name + ".biases", layer.biases(), layer.outputs});
  }
  return table;
}

template <class Scalar>
Vector<Scalar> random_start(std::span<const AffineLayer> layers, std::uint64_t seed) {
  Vector<Scalar> x = Vector<Scalar>::Zero(layers.back().end());
  for (std::size_t l = 0; l < layers.size(); ++l) {
    const AffineLayer& layer = layers[l];
    const bool last = l + 1 == layers.size();
    const double variance = 2.0 / static_cast<double>(last ? layer.inputs + layer.outputs : layer.inputs);
    RandomStream stream(seed, 0, l, Purpose::initial_model);
    for (Scalar& weight : x.segment(layer.begin, layer.weight_count()))
      weight = static_cast<Scalar>(std::sqrt(variance) * stream.normal());
  }
  return x;
}

template <class Scalar>
void multiply(const AffineLayer& layer, const Vector<Scalar>& x, const DenseRows<Scalar>& h,
              DenseRows<Scalar>& z) {
  z.setZero(h.rows(), layer.outputs);
  add_product_with_transpose(h, weights_of(layer, x), z);
}

template <class Scalar>
void add_biases(const AffineLayer& layer, const Vector<Scalar>& x, DenseRows<Scalar>& z) {
  z.rowwise() += x.segment(layer.biases(), layer.outputs).transpose();
}

template <class Scalar>
void rectify(DenseRows<Scalar>& z) {
  z = z.unaryExpr([](Scalar value) { return value < Scalar{0} ? Scalar{0} : value; });
}

template <class Scalar>
void add_bias_gradient(const AffineLayer& layer, const DenseRows<Scalar>& slopes, Vector<Scalar>& gradient) {
  auto biases = gradient.segment(layer.biases(), layer.outputs);
  for (Index s = 0; s < slopes.rows(); ++s) biases += slopes.row(s).transpose();
}

template <class Scalar>
void propagate_back(const AffineLayer& layer, const Vector<Scalar>& x, const DenseRows<Scalar>& h,
                    DenseRows<Scalar>& slopes) {
  DenseRows<Scalar> backward = DenseRows<Scalar>::Zero(slopes.rows(), layer.inputs);
  add_product(slopes, weights_of(layer, x), backward);
  slopes = backward.binaryExpr(
      h, [](Scalar slope, Scalar activation) { return activation > Scalar{0} ? slope : Scalar{0}; });
}

template Vector<float> random_start<float>(std::span<const AffineLayer>, std::uint64_t);
template Vector<double> random_start<double>(std::span<const AffineLayer>, std::uint64_t);
template void multiply<float>(const AffineLayer&, const Vector<float>&, const DenseRows<float>&,
                              DenseRows<float>&);
template void multiply<double>(const AffineLayer&, const Vector<double>&, const DenseRows<double>&,
                               DenseRows<double>&);
template void add_biases<float>(const AffineLayer&, const Vector<float>&, DenseRows<float>&);
template void add_biases<double>(const AffineLayer&, const Vector<double>&, DenseRows<double>&);
template void rectify<float>(DenseRows<float>&);
template void rectify<double>(DenseRows<double>&);
template void add_bias_gradient<float>(const AffineLayer&, const DenseRows<float>&, Vector<float>&);
template void add_bias_gradient<double>(const AffineLayer&, const DenseRows<double>&, Vector<double>&);
template void propagate_back<float>(const AffineLayer&, const Vector<float>&, const DenseRows<float>&,
                                    DenseRows<float>&);
template void propagate_back<double>(const AffineLayer&, const Vector<double>&, const DenseRows<double>&,
                                     DenseRows<double>&);

}  // namespace hearsay
