#pragma once

#include <optional>
#include <string>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Returns a warning if chb censors so much that training may stall: if its threshold is above both of
///
///     L_i^2                 A worker that has just sent has ||g_i(x) - s_i|| <= L_i ||x - x'|| in the next
///                           iteration, L_i being the curvature of its loss. So it is silent there.
///     ((1 - beta) / eta)^2  In silence the model comes to move by eta ||sbar|| / (1 - beta) an iteration.
///                           So a worker with s_i = sbar is silent even if its gradient vanishes.
///
/// Above the first alone training goes on, with fewer messages: measured on the built-in softmax. Empty if
/// the threshold is smaller, or nothing is known. "auto" is judged by the first step size.
template <class Scalar>
std::optional<std::string> censor_warning(const Experiment<Scalar>& experiment);

}  // namespace hearsay
