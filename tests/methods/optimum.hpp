#pragma once

#include <algorithm>
#include <vector>

#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test {

/// The minimiser of the sum of the first `peers` quadratics of `quadratic_problem`: their centers, weighted
/// by curvature.
inline Vector<double> quadratic_optimum(Index dimension, PeerId peers) {
  Vector<double> slopes = Vector<double>::Zero(dimension);
  Vector<double> pull = slopes;
  for (PeerId id = 0; id < peers; ++id) {
    const Vector<double> slope = curvature<double>(dimension, 3, id);
    slopes += slope;
    pull += slope.cwiseProduct(normal_vector<double>(dimension, 5, id));
  }
  return pull.cwiseQuotient(slopes);
}

/// The largest difference of any entry of any peer's model from `point`.
template <class Scalar>
double largest_distance(const std::vector<PeerRecord<Scalar>>& peers, const Vector<double>& point) {
  double largest = 0.0;
  for (const PeerRecord<Scalar>& peer : peers)
    largest = std::max(largest, (peer.model.template cast<double>() - point).cwiseAbs().maxCoeff());
  return largest;
}

}  // namespace hearsay::test
