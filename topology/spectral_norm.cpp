#include "topology/spectral_norm.hpp"

#include <Eigen/SVD>

namespace hearsay {

// In a source of its own, since Eigen's SVD takes the compiler as long as the rest of topology/.
double spectral_norm(const Eigen::MatrixXd& matrix) {
  return Eigen::BDCSVD<Eigen::MatrixXd>(matrix).singularValues()(0);
}

}  // namespace hearsay
