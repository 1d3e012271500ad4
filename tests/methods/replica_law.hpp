#pragma once

#include <string>

#include "runtime/experiment/experiment.hpp"

namespace hearsay::test {

/// Of a run: where a replica is not, bit for bit, what its owner published, after every iteration on fixed
/// links, and when the two last met where links change. Empty where all are, and there were some to compare.
template <class Scalar>
std::string replica_violation(const Experiment<Scalar>& experiment);

}  // namespace hearsay::test
