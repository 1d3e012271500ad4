#pragma once

#include <span>

#include "algorithms/objectives/problem.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

/// A message fits into a frame, whose payload length is 32 bits, at up to 10 bytes a coordinate: full precision, also
/// beside the meters that go to the observer, and the longest variable-length code.
inline constexpr Index largest_dimension = 0xffff'ffff / 10;

/// The problem a run trains: its data loaded or generated and dealt to settings.topology.peers peers, one
/// objective a peer, the common start x_0 and the accuracy (over the test data where there are any, else over
/// the training data).
///
/// model.init: "zeros" is the model's own start, all zeros; an mlp, whose gradient vanishes there, starts
/// with zero biases and seeded random weights. Else the name of a .npy file with one vector of the model's
/// dimension.
///
/// Throws a Misuse for whatever in [data] and [model] cannot be done, or not together.
template <class Scalar>
Problem<Scalar> build_problem(const RunSettings& settings);

/// The values of model.kind.
std::span<const Choice> model_choices();

}  // namespace hearsay
