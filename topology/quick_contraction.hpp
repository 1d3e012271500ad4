#pragma once

#include <Eigen/Core>
#include <utility>

#include "topology/round_clock.hpp"

namespace hearsay {

/// Estimates how fast gossip agrees on many graphs with the same peers, for a search: rho = ||W - J||_2 of
/// the weights w_ij = t / max(d_i, d_j), d the degrees, with the best t of at most 1, so that no self weight
/// is negative. That is nearer to the fastest weights than Metropolis, and costs one spectrum: of the
/// Laplacian of these weights for t = 1. Up to 40 peers it is exact; beyond, 32 steps of Lanczos find the
/// ends of the spectrum to some digits.
class QuickContraction {
 public:
  explicit QuickContraction(PeerId peer_count);
  double rho(const NeighborLists& neighbors);

 private:
  /// Returns the smallest and the largest eigenvalue of the Laplacian across the constant vector.
  using Ends = std::pair<double, double>;
  static Ends exact(const NeighborLists& neighbors);
  Ends by_lanczos(const NeighborLists& neighbors);
  /// Sets column `to` of the basis to the Laplacian times column `from`.
  void multiply(const NeighborLists& neighbors, Eigen::Index from, Eigen::Index to);

  Eigen::MatrixXd basis_;  // of Lanczos; the first column is where it starts
};

}  // namespace hearsay
