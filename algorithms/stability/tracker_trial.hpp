#pragma once

#include <cstddef>

#include "algorithms/compression/seam/compressor.hpp"

namespace hearsay {

/// Gradient tracking whose models and trackers follow each other through a compressor: `beer` with damping a
/// = 1, and `c-gt`.
struct CompressedTracking {
  double step_size;       ///< eta
  double consensus_step;  ///< gamma
  double damping;         ///< a
  double curvature;       ///< the largest one of the loss
};

/// Tries it on quadratics, with the real compressor, and returns whether the peers settle. Gossip alone
/// (gossip_trial.hpp) may settle where this does not: a tracker holds what models do, and moves them.
///
///   x <- x - gamma M xhat - eta y,             xhat = H + C(x - H),  H <- H + a C(x - H)
///   y <- y - gamma M yhat + A (x' - x),        yhat = G + C(y - G),  G <- G + a C(y - G)
///
/// The peers are a ring of 8 with M = I - W, whose largest eigenvalue is `fastest`, that of the real W. A has
/// the curvatures L/d, 2 L/d, ..., L. From Gaussian models, up to 6,000 iterations. They settle if they
/// agree, or are closer in the last quarter than in the quarter before the middle. The same input gives the
/// same answer.
template <class Scalar>
bool trackers_settle(const CompressedTracking& of, double fastest, Compressor<Scalar>& compressor,
                     std::size_t dimension);

}  // namespace hearsay
