#include "topology/spectrum.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>

#include "topology/closed_spectrum.hpp"
#include "topology/dense_mixing.hpp"

namespace hearsay {
namespace {

/// A number between the smallest and the largest eigenvalue of W that belong to no constant vector: the
/// Rayleigh quotient of e_0 - e_1. W - J + interior J has the constant vector's eigenvalue there, out of the
/// way of both ends.
double interior(const MixingMatrix& mixing) {
  double off_diagonal = 0.0;
  for (const WeightedNeighbor& neighbor : mixing.row(0).hears)
    if (neighbor.id == 1) off_diagonal = neighbor.weight;
  return 0.5 * (mixing.row(0).self_weight + mixing.row(1).self_weight) - off_diagonal;
}

Spectrum dense_spectrum(const MixingMatrix& mixing) {
  Eigen::MatrixXd matrix = dense(mixing);
  const double n = mixing.peer_count();
  if (!mixing.symmetric()) {
    matrix.array() -= 1.0 / n;
    const Eigen::BDCSVD<Eigen::MatrixXd> solved(matrix);
    return norm_spectrum(solved.singularValues()(0), SpectrumMethod::dense);
  }
  matrix.array() += (interior(mixing) - 1.0) / n;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(matrix, Eigen::EigenvaluesOnly);
  const auto& values = solved.eigenvalues();
  return symmetric_spectrum(values(values.size() - 1), values(0), SpectrumMethod::dense);
}

}  // namespace

Spectrum spectrum(const MixingMatrix& mixing) {
  if (const auto closed = closed_spectrum(mixing)) return *closed;
  return dense_spectrum(mixing);
}

}  // namespace hearsay
