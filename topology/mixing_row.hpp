#pragma once

#include <span>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// A neighbor that a peer hears, and its weight.
struct WeightedNeighbor {
  PeerId id;
  double weight;
};

/// Row i of a mixing matrix W (row = receiver): x_i+ = w_ii x_i + sum_j w_ij x_j, as peer i needs it.
///
/// `hears` and `heard_by` are equal sets when W is symmetric in its support; a directed round (one-peer
/// exponential) makes them differ. Both are in ascending id and never contain the peer itself.
struct MixingRow {
  double self_weight = 1.0;
  std::vector<WeightedNeighbor> hears;  ///< in-neighbors j with w_ij != 0
  std::vector<PeerId> heard_by;         ///< out-neighbors k with w_ki != 0
  /// True if the peer takes part in the round (participation.hpp). A peer that does may still have no
  /// neighbor; a peer that does not has none.
  bool participates = true;
};

}  // namespace hearsay
