#pragma once

#include <string>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test {

// Runs of methods that learn a basis from the first gradients (lgc, lgc-ring).

template <class Scalar>
using MatrixOf = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

inline constexpr std::uint64_t dense_rounds = 5;

inline Plan plan_with(std::uint64_t rank, const std::string& compressor, std::uint64_t iterations = 30) {
  return {.compressor = compressor,
          .iterations = iterations,
          .options = {{option::rank, rank}, {option::dense_rounds, dense_rounds}}};
}

/// Returns P' as a matrix, d x r.
template <class Scalar>
MatrixOf<Scalar> directions_of(const PeerRecord<Scalar>& peer) {
  const Vector<Scalar>& basis = peer.states.at("basis");
  return Eigen::Map<const MatrixOf<Scalar>>(basis.data(), peer.model.size(),
                                            basis.size() / peer.model.size());
}

/// How far the columns are from orthonormal.
template <class Scalar>
double skewness(const MatrixOf<Scalar>& columns) {
  return static_cast<double>(
      (columns.transpose() * columns - MatrixOf<Scalar>::Identity(columns.cols(), columns.cols()))
          .cwiseAbs()
          .maxCoeff());
}

inline Vector<double> gradient_at(const Experiment<double>& experiment, PeerId peer,
                                  const Vector<double>& x) {
  Vector<double> gradient(x.size());
  const Index sample = 0;
  experiment.problem.objectives[peer]->gradient(x, {&sample, 1}, gradient);
  return gradient;
}

}  // namespace hearsay::test
