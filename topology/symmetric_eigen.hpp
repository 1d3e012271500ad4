#pragma once

#include <Eigen/Core>

namespace hearsay {

// Eigen's dense eigenvalue solver, compiled once for all who need it.

/// Returns the eigenvalues of a symmetric matrix, ascending.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& matrix);

/// The same of a tridiagonal one; off_diagonal(k) couples rows k and k + 1.
Eigen::VectorXd tridiagonal_eigenvalues(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& off_diagonal);

struct SymmetricEigen {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< column k belongs to value k; orthonormal
};

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

/// Returns the largest singular value of a square matrix, to n roundings: the root of the largest eigenvalue
/// of A'A. (Small singular values would lose half their digits this way, the largest loses none.)
double spectral_norm(const Eigen::MatrixXd& matrix);

}  // namespace hearsay
