#pragma once

#include <optional>
#include <string>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Returns a warning if the step size is too large for a method that combines first and then adapts. On
/// quadratics of one curvature h, along the eigenvector of W with eigenvalue lambda, a round of K local steps
/// multiplies the models by
///
///     1 - gamma (1 - lambda) - (1 - (1 - eta h)^K),
///
/// which has to stay above -1 for lambda_n. For K = 1, gamma = 1 that is eta h < 1 + lambda_n: 2/3 on a ring
/// of an even number of peers. In the other form eta h < 2 suffices. Empty if the step size is smaller, or
/// nothing is known.
template <class Scalar>
std::optional<std::string> step_size_warning(const Experiment<Scalar>& experiment);

}  // namespace hearsay
