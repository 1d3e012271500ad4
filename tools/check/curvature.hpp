#pragma once

#include <functional>
#include <optional>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// The least and the largest of the curvatures of local objectives. A curvature is the largest eigenvalue of
/// the Hessian, in absolute value.
struct Curvatures {
  double least;
  double largest;
};

/// Returns the curvatures at the initial model, as 12 power iterations find them from below, on up to 4 of
/// the peers that have data, and 256 samples of each (fewer if the model is large). Products with the Hessian
/// are differences of gradients. The same input gives the same numbers. Empty if gradients are computed by
/// programs, or the data are at home. `matters`: what is asked of a curvature, true for all large ones; if
/// three iterations find one that would not matter if it were ten times as large, they are enough.
template <class Scalar>
std::optional<Curvatures> curvatures(
    const Experiment<Scalar>& experiment,
    const std::function<bool(double)>& matters = [](double) { return true; });

}  // namespace hearsay
