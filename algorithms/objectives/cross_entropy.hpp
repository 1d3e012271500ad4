#pragma once

#include <span>

#include "algorithms/objectives/samples.hpp"

namespace hearsay {

/// sum_s [log sum_k exp(z_sk) - z_s,y(s)] over the rows z_s of `outputs`: the cost of outputs as unnormalised
/// log-probabilities of classes. Finite for finite outputs of any size.
template <class Scalar>
double cross_entropy(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets);

/// Replaces every row z_s by its derivative softmax(z_s) - e_y(s).
template <class Scalar>
void differentiate_cross_entropy(DenseRows<Scalar>& outputs, std::span<const Scalar> targets);

}  // namespace hearsay
