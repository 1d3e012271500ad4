#pragma once

#include <vector>

#include "algorithms/seam/method.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

/// A peer's place in the tree of a hub (is_hub_tree): a star, or a star of stars.
struct TreePlace {
  std::vector<PeerId> above;  ///< the peer that it hears the model from; none for the hub
  std::vector<PeerId> below;  ///< the peers whose answers it adds up, ascending

  /// A peer's neighbors are the one above and those below. The hub is below nobody and has the least id, so
  /// whoever is linked with it is below it.
  template <class Scalar>
  explicit TreePlace(const MethodInput<Scalar>& input) : below(input.neighbors) {
    if (input.self == hub_id || below.empty()) return;
    above = {below.front()};
    below.erase(below.begin());
  }
};

}  // namespace hearsay
