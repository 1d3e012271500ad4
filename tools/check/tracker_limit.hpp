#pragma once

#include <optional>
#include <string>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Returns a warning if compressed gradient tracking (`beer`, `c-gt`) does not settle in a trial with the
/// run's step size, consensus step, damping and compressor, on quadratics of the loss's curvature
/// (tracker_trial.hpp). It names a consensus step that does, if there is one. Empty if it settles, or nothing
/// is known.
template <class Scalar>
std::optional<std::string> tracker_warning(const Experiment<Scalar>& experiment);

}  // namespace hearsay
