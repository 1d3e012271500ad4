#include "topology/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace hearsay {

namespace {

using DenseSolver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

}  // namespace

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& matrix) {
  return DenseSolver(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

Eigen::VectorXd tridiagonal_eigenvalues(const Eigen::VectorXd& diagonal,
                                        const Eigen::VectorXd& off_diagonal) {
  return DenseSolver().computeFromTridiagonal(diagonal, off_diagonal, Eigen::EigenvaluesOnly).eigenvalues();
}

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
  const DenseSolver solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

double spectral_norm(const Eigen::MatrixXd& matrix) {
  const Eigen::VectorXd squares = symmetric_eigenvalues(matrix.transpose() * matrix);
  return std::sqrt(std::max(0.0, squares(squares.size() - 1)));
}

}  // namespace hearsay
