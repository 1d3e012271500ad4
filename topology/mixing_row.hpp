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

/// Row i of a mixing matrix W (row = receiver), as peer i needs it: x_i+ = w_ii x_i + sum_j w_ij x_j.
///
/// `hears` and `heard_by` hold the same peers if all links go both ways; a directed round (one-peer
/// exponential) makes them differ. Both are in ascending id and never contain the peer itself.
struct MixingRow {
  double self_weight = 1.0;
  std::vector<WeightedNeighbor> hears;  ///< in-neighbors j with w_ij != 0
  std::vector<PeerId> heard_by;         ///< out-neighbors k with w_ki != 0
  /// True if the peer takes part in the round (participation.hpp). A participant may have no neighbor in a
  /// round; any other peer has none.
  bool participates = true;
  /// True if the peer's own data count in the round. Only a hub takes part without them (hub_rounds.hpp).
  bool trains = true;

  /// Makes this the row of a peer that takes no part in the round.
  void sit_out() {
    self_weight = 1.0;
    hears.clear();
    heard_by.clear();
    participates = false;
    trains = true;
  }
};

}  // namespace hearsay
