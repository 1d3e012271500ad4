#pragma once

#include <string>

#include "runtime/experiment/experiment.hpp"

namespace hearsay::test {

/// Runs the experiment, and returns the first replica that differs, in a bit, from its owner's published
/// vector: on fixed links after every iteration, if links change as of their last meeting. Empty if there is
/// none, and there were replicas to compare.
template <class Scalar>
std::string replica_violation(const Experiment<Scalar>& experiment);

}  // namespace hearsay::test
