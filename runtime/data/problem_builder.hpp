#pragma once

#include "algorithms/objectives/home.hpp"
#include "algorithms/objectives/problem.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// The problem a run trains: its data loaded or generated and dealt to settings.topology.peers peers, one
/// objective a peer, the common start x_0 and the accuracy (over the test data where there are any, else over
/// the training data). Under data.partition = "home" only the objectives that `home` has are loaded, each
/// from its own files, where "{id}" stands for the peer's id; the others are stand-ins.
///
/// model.init: "zeros" is the model's own start, which is all zeros; only mlp and lenet, whose gradient
/// vanishes there, start with zero biases and seeded random weights. Any other value names a .npy file with
/// one vector of the model's dimension.
///
/// Throws a Misuse for settings in [data] and [model] that are impossible, alone or together.
template <class Scalar>
Problem<Scalar> build_problem(const RunSettings& settings, const Home& home = {});

/// Returns the memory of one peer's objective if it is drawn from the seed; 0 for a model that learns from
/// samples, which all peers share.
double bytes_of_drawn_objective(const RunSettings& settings, double bytes_of_scalar);

/// True if the model learns from samples (of data.source, or of the user's own objective); false for a model
/// that is drawn, as a quadratic is.
bool learns_from_samples(const RunSettings& settings);

}  // namespace hearsay
