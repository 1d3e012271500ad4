#pragma once

#include "algorithms/objectives/problem.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// The constants of a run's problem that the planner wants, measured.
struct ProblemConstants {
  double smoothness = 0.0;  ///< L: the largest ratio of the changes of gradient and model
  double variance = 0.0;    ///< sigma^2, of the gradient of a single sample at x_0, mean over the workers
  double gradient_square = 0.0;  ///< G^2: the largest mean over the workers of |minibatch gradient|^2
  double first_loss = 0.0;       ///< f(x_0)
  double first_square = 0.0;     ///< |grad f(x_0)|^2
};

/// Takes 20 minibatch gradients of every worker at x_0 (sigma^2, G^2), then 20 plain steps with the run's
/// step size (L, G^2). The steps are by the gradient on the first 20 `batch` samples of every worker: always
/// the same ones, so that changes are those of one function. `batch` is at least 1. What is measured along a
/// path is no bound.
template <class Scalar>
ProblemConstants measure_for_plan(const Problem<Scalar>& problem, const RunSettings& settings, Index batch);

}  // namespace hearsay
