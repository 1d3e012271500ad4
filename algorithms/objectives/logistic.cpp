#include "algorithms/objectives/logistic.hpp"

#include <cmath>
#include <utility>

namespace hearsay {

namespace {

/// -1 for class 0, +1 for class 1
template <class Scalar>
Scalar sign_of(Scalar target) {
  return target == Scalar{0} ? Scalar{-1} : Scalar{1};
}

}  // namespace

template <class Scalar>
Logistic<Scalar>::Logistic(Shard<Scalar> shard, double weight, double l2)
    : LinearObjective<Scalar>(std::move(shard), 1, weight, l2) {}

template <class Scalar>
double Logistic<Scalar>::output_loss(const DenseRows<Scalar>& outputs,
                                     std::span<const Scalar> targets) const {
  double sum = 0.0;
  for (std::size_t s = 0; s < targets.size(); ++s) {
    const auto margin = static_cast<double>(sign_of(targets[s]) * outputs.data()[s]);
    // log(1 + exp(-margin)), with the exponential of a non-positive number only
    sum += std::log1p(std::exp(-std::abs(margin))) + (margin < 0.0 ? -margin : 0.0);
  }
  return sum;
}

template <class Scalar>
void Logistic<Scalar>::differentiate(DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const {
  for (std::size_t s = 0; s < targets.size(); ++s) {
    const Scalar sign = sign_of(targets[s]);
    const Scalar margin = sign * outputs.data()[s];
    // dloss/dz = -y / (1 + exp(margin)), arranged so that a large margin loses no digits
    const Scalar small = std::exp(-std::abs(margin));
    outputs.data()[s] = -sign * (margin < Scalar{0} ? Scalar{1} : small) / (Scalar{1} + small);
  }
}

template class Logistic<float>;
template class Logistic<double>;

ModelInfo logistic_info() {
  return {.name = "logistic",
          .description = "two classes, log(1 + exp(-y a^T x))",
          .parameters = "features",
          .has_intercept = false,
          .examples = {"logistic"},
          .make = sample_model<Logistic>(
              Targets::two_classes, [](const ModelShape&, double features, double) { return features; })};
}

}  // namespace hearsay
