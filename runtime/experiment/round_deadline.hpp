#pragma once

#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Checks topology.round_deadline, if it is set. Throws Misuse for a method that needs all answers, for
/// checkpoints, and for a deadline that no answer can meet. Returns a warning if the hub's port cannot tell
/// all workers of a round before it.
template <class Scalar>
std::vector<std::string> doubts_of_round_deadline(const Experiment<Scalar>& experiment);

}  // namespace hearsay
