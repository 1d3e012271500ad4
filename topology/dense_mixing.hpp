#pragma once

#include <Eigen/Core>

#include "topology/mixing.hpp"

namespace hearsay {

/// W with all its zeros, peer_count x peer_count: for solvers on few peers, and for laws in terms of
/// matrices.
Eigen::MatrixXd dense(const MixingMatrix& mixing);

}  // namespace hearsay
