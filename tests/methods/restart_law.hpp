#pragma once

#include <string>

#include "algorithms/seam/method.hpp"
#include "runtime/experiment/experiment.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test {

/// Of a run with checkpoints: where all peers are made anew from their images at any boundary, or one alone
/// from its image and what it has heard since, everything goes on as it had: all that is said, and the whole
/// of what is saved at the end, bit for bit. Empty where that is so, else a sentence.
template <class Scalar>
std::string restart_violation(const Experiment<Scalar>& experiment);

/// The same with every option of the method and, where there are few peers, every compressor.
template <class Scalar>
std::string restart_violation(const MethodInfo& method, const World& world);

}  // namespace hearsay::test
