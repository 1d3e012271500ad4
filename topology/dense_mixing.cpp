#include "topology/dense_mixing.hpp"

namespace hearsay {

Eigen::MatrixXd dense(const MixingMatrix& mixing) {
  const PeerId n = mixing.peer_count();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n, n);
  for (PeerId peer = 0; peer < n; ++peer) {
    const MixingRow& row = mixing.row(peer);
    matrix(peer, peer) = row.self_weight;
    for (const WeightedNeighbor& neighbor : row.hears) matrix(peer, neighbor.id) = neighbor.weight;
  }
  return matrix;
}

}  // namespace hearsay
