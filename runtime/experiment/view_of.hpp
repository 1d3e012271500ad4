#pragma once

#include "algorithms/seam/run_view.hpp"
#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Returns what the method may see of the run, which is resolved. The experiment outlives the view.
template <class Scalar>
RunView view_of(const Experiment<Scalar>& experiment);

}  // namespace hearsay
