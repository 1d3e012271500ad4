#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "topology/ensure.hpp"

namespace hearsay {

/// A peer's copies ("hearsay") of its neighbors' published vectors, one per neighbor, in ascending id.
template <class Scalar>
class Replicas {
 public:
  /// Every copy starts at `initial`, which all peers share.
  Replicas(const std::vector<PeerId>& owners, const Vector<Scalar>& initial)
      : owners_(owners), copies_(owners.size(), initial) {}

  Vector<Scalar>& of(PeerId owner) {
    const auto found = std::lower_bound(owners_.begin(), owners_.end(), owner);
    ensure(found != owners_.end() && *found == owner, "a replica is kept of every neighbor that is heard");
    return copies_[static_cast<std::size_t>(found - owners_.begin())];
  }

  void visit(StateVisitor<Scalar>& visitor) {
    for (std::size_t k = 0; k < owners_.size(); ++k) visitor.replica("replica", owners_[k], copies_[k]);
  }

 private:
  std::vector<PeerId> owners_;
  std::vector<Vector<Scalar>> copies_;
};

}  // namespace hearsay
