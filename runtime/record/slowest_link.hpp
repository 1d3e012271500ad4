#pragma once

#include <optional>
#include <vector>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// The link that held a run up most.
struct SlowestLink {
  PeerId from;
  PeerId to;
  Duration waited;       ///< by `to`, for messages of `from`
  double share_of_time;  ///< of what the run took at `to`
};

/// Nothing where nobody waited. Whoever waits for somebody makes others wait in turn, so the longest wait as
/// such says little: behind a bottleneck all wait equally long. So every peer points to the one it waited for
/// most; whoever follows the pointers comes from the waits that are mere echoes to where they begin: at a
/// peer that waits for nobody, or in a cycle (the two ends of a slow link; a slow peer and a neighbor). Of
/// the links there, it is the one with the longest wait, of the lower `to` in doubt. Which way a link is slow
/// that both ways have in common, nobody can tell from this.
std::optional<SlowestLink> slowest_link(const std::vector<PeerOutcome>& peers);

}  // namespace hearsay
