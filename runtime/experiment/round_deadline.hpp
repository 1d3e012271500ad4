#pragma once

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Checks topology.round_deadline, if it is set. Throws Misuse for a method that needs all answers, for
/// checkpoints, and for a deadline that no answer can meet. Warns if the hub's port cannot tell all workers
/// of a round before it.
template <class Scalar>
void check_round_deadline(Experiment<Scalar>& experiment);

}  // namespace hearsay
