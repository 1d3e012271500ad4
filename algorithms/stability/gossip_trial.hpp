#pragma once

#include <cstddef>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/stability/trial.hpp"

namespace hearsay {

/// Tries gossip without gradients, with the real compressor, and returns whether it settles. For compressors
/// whose error depends on their past: top-k leaves out again what it left out before, so ConsensusLimit,
/// which takes noise to be independent, promises too much.
///
/// The peers are a ring of 8 whose largest 1 - lambda is `fastest`, that of the real W: the mode that is the
/// first to diverge. In the eigenvectors of W the method's own GossipModel is run,
///
///   d = V c s,  noise = C(d) - d,    s <- A s + b V' noise      (A with keep = 1)
///
/// from Gaussian states, up to 2,000 iterations. It settles if the vectors d vanish, or are smaller in the
/// last quarter than in the quarter before the middle. `dimension` is at most most_trial_coordinates. The
/// same input gives the same answer.
template <class Scalar>
bool gossip_settles(const MethodInfo& method, const MethodOptions& options, double fastest,
                    Compressor<Scalar>& compressor, std::size_t dimension);

/// Returns the largest consensus step, to a twentieth, at which gossip settles, between 0.0001 and `high`:
/// the first one of a descending search. 0 if there is none.
template <class Scalar>
double settling_step(const MethodInfo& method, MethodOptions options, double fastest,
                     Compressor<Scalar>& compressor, std::size_t dimension, double high);

}  // namespace hearsay
