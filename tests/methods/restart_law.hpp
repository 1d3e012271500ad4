#pragma once

#include <string>

#include "algorithms/seam/method.hpp"
#include "runtime/experiment/experiment.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test {

/// Runs the experiment with checkpoints. Restores, at any checkpoint, all peers from their images, or one
/// peer from its image and the messages that it has heard since. All later messages and the last image must
/// be those of the undisturbed run, bit for bit. Returns a sentence about a difference; empty if there is
/// none.
template <class Scalar>
std::string restart_violation(const Experiment<Scalar>& experiment);

/// The same with every option of the method and, if there are few peers, every compressor.
template <class Scalar>
std::string restart_violation(const MethodInfo& method, const World& world);

}  // namespace hearsay::test
