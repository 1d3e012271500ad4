#pragma once

#include <Eigen/Core>

#include "topology/mixing.hpp"

namespace hearsay {

/// W as a dense matrix, peer_count x peer_count: for solvers on few peers, and for tests of matrix
/// identities.
Eigen::MatrixXd dense(const MixingMatrix& mixing);

}  // namespace hearsay
