#pragma once

#include <span>

#include "algorithms/objectives/samples.hpp"

namespace hearsay {

/// Returns sum_s [log sum_k exp(z_sk) - z_s,y(s)] over the rows z_s of `outputs`: the cross entropy of the
/// logits z_s with the classes y(s). Finite for finite outputs of any size.
template <class Scalar>
double cross_entropy(const DenseRows<Scalar>& outputs, std::span<const Scalar> targets);

/// Replaces every row z_s by the derivative of its cross entropy, softmax(z_s) - e_y(s). Probabilities below
/// 1e-31 (in double 1e-292) are 0.
template <class Scalar>
void differentiate_cross_entropy(DenseRows<Scalar>& outputs, std::span<const Scalar> targets);

}  // namespace hearsay
