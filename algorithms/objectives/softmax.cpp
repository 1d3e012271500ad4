#include "algorithms/objectives/softmax.hpp"

#include "algorithms/objectives/cross_entropy.hpp"

namespace hearsay {

template <class Scalar>
Softmax<Scalar>::Softmax(const Shard<Scalar>& shard, double weight, double l2)
    : LinearObjective<Scalar>(shard, static_cast<Index>(shard.samples->class_count), weight, l2) {}

template <class Scalar>
double Softmax<Scalar>::output_loss(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const {
  return cross_entropy(outputs, targets);
}

template <class Scalar>
void Softmax<Scalar>::differentiate(DenseRows<Scalar>& outputs, std::span<const Scalar> targets) const {
  differentiate_cross_entropy(outputs, targets);
}

template class Softmax<float>;
template class Softmax<double>;

ModelInfo softmax_info() {
  return {.name = "softmax",
          .description = "any number of classes, cross entropy of X a",
          .parameters = "classes * features",
          .has_intercept = false,
          .examples = {"softmax"},
          .make = sample_model<Softmax>(Targets::classes, [](const ModelShape&, double features,
                                                             double classes) { return features * classes; })};
}

}  // namespace hearsay
