#include "algorithms/objectives/cross_entropy.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/arithmetic/reductions.hpp"

namespace hearsay {

template <class Scalar>
double cross_entropy(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets) {
  double total = 0.0;
  Vector<double> exponentials;
  for (Index s = 0; s < outputs.rows(); ++s) {
    const auto label = static_cast<Index>(targets[static_cast<std::size_t>(s)]);
    const double largest = static_cast<double>(outputs.row(s).maxCoeff());
    exponentials = (outputs.row(s).transpose().template cast<double>().array() - largest).exp();
    total +=
        std::log(sum(view(std::as_const(exponentials)))) + (largest - static_cast<double>(outputs(s, label)));
  }
  return total;
}

template <class Scalar>
void differentiate_cross_entropy(DenseRows<Scalar>& outputs, std::span<const Scalar> targets) {
  // Less is 0: products with subnormal numbers take ten times as long as others.
  constexpr Scalar least = std::numeric_limits<Scalar>::min() / std::numeric_limits<Scalar>::epsilon();
  for (Index s = 0; s < outputs.rows(); ++s) outputs.row(s).array() -= outputs.row(s).maxCoeff();
  outputs.array() = outputs.array().exp();
  for (Index s = 0; s < outputs.rows(); ++s) {
    const std::span<const Scalar> row(outputs.row(s).data(), static_cast<std::size_t>(outputs.cols()));
    outputs.row(s) *= static_cast<Scalar>(1.0 / sum(row));
    outputs.row(s) = (outputs.row(s).array() < least).select(Scalar{0}, outputs.row(s));
    outputs(s, static_cast<Index>(targets[static_cast<std::size_t>(s)])) -= Scalar{1};
  }
}

template double cross_entropy<float>(const DenseRows<float>&, std::span<const float>);
template double cross_entropy<double>(const DenseRows<double>&, std::span<const double>);
template void differentiate_cross_entropy<float>(DenseRows<float>&, std::span<const float>);
template void differentiate_cross_entropy<double>(DenseRows<double>&, std::span<const double>);

}  // namespace hearsay
