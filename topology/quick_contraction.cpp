#include "topology/quick_contraction.hpp"

#include <algorithm>
#include <cmath>

#include "topology/graph_random.hpp"
#include "topology/symmetric_eigen.hpp"

namespace hearsay {

namespace {

constexpr PeerId exact_peers = 40;
constexpr Eigen::Index steps = 32;

double weight(const NeighborLists& neighbors, PeerId a, PeerId b) {
  return 1.0 / static_cast<double>(std::max(neighbors[a].size(), neighbors[b].size()));
}

}  // namespace

QuickContraction::QuickContraction(PeerId peer_count) {
  if (peer_count <= exact_peers) return;
  basis_.setZero(peer_count, steps + 1);
  GraphRandom random(peer_count);
  for (Eigen::Index k = 0; k < basis_.rows(); ++k) basis_(k, 0) = random.uniform() - 0.5;
  basis_.col(0).array() -= basis_.col(0).mean();
  basis_.col(0).normalize();
}

double QuickContraction::rho(const NeighborLists& neighbors) {
  if (neighbors.size() < 2) return 0.0;
  const auto [smallest, largest] = neighbors.size() <= exact_peers ? exact(neighbors) : by_lanczos(neighbors);
  const double step = std::min(1.0, 2.0 / (smallest + largest));
  return std::max(std::abs(1.0 - step * smallest), std::abs(1.0 - step * largest));
}

QuickContraction::Ends QuickContraction::exact(const NeighborLists& neighbors) {
  const auto n = static_cast<Eigen::Index>(neighbors.size());
  Eigen::MatrixXd laplacian = Eigen::MatrixXd::Zero(n, n);
  for (PeerId a = 0; a < neighbors.size(); ++a)
    for (const PeerId b : neighbors[a]) {
      laplacian(a, b) = -weight(neighbors, a, b);
      laplacian(a, a) -= laplacian(a, b);
    }
  const Eigen::VectorXd values =
      symmetric_eigenvalues(laplacian);  // the first is that of the constant vector
  return {values(1), values(n - 1)};
}

void QuickContraction::multiply(const NeighborLists& neighbors, Eigen::Index from, Eigen::Index to) {
  const double* const x = basis_.col(from).data();
  double* const y = basis_.col(to).data();
  for (PeerId a = 0; a < neighbors.size(); ++a) {
    double sum = 0.0;
    for (const PeerId b : neighbors[a]) sum += weight(neighbors, a, b) * (x[a] - x[b]);
    y[a] = sum;
  }
}

QuickContraction::Ends QuickContraction::by_lanczos(const NeighborLists& neighbors) {
  Eigen::MatrixXd projected = Eigen::MatrixXd::Zero(steps, steps);
  Eigen::Index used = 0;
  while (used < steps) {
    multiply(neighbors, used, used + 1);
    auto next = basis_.col(used + 1);
    projected(used, used) = next.dot(basis_.col(used));
    // Twice against all before it, so that no direction comes back; rounding brings in the constant one, too.
    for (int pass = 0; pass < 2; ++pass) {
      next -= basis_.leftCols(used + 1) * (basis_.leftCols(used + 1).transpose() * next).eval();
      next.array() -= next.mean();
    }
    const double length = next.norm();
    ++used;
    if (used == steps || length < 1e-10) break;
    projected(used, used - 1) = projected(used - 1, used) = length;
    next /= length;
  }
  const Eigen::VectorXd values = symmetric_eigenvalues(projected.topLeftCorner(used, used));
  return {values(0), values(used - 1)};
}

}  // namespace hearsay
