#pragma once

#include <Eigen/Core>

namespace hearsay {

/// Returns the largest singular value of a square matrix.
double spectral_norm(const Eigen::MatrixXd& matrix);

}  // namespace hearsay
