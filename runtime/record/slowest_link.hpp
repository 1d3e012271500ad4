#pragma once

#include <optional>
#include <vector>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// The link that delayed a run most.
struct SlowestLink {
  PeerId from;
  PeerId to;
  Duration waited;       ///< how long `to` waited for messages of `from`
  double share_of_time;  ///< `waited` / the time of the run at `to`
};

/// Returns the link that delayed the run most; empty if no peer waited.
///
/// A peer that waits makes its neighbors wait in turn: behind a bottleneck all wait equally long. So the
/// longest wait alone does not show where the delay begins. Every peer points to the source that it waited
/// for most. Following the pointers leads to where the delay begins: to a peer that waits for no peer, or
/// into a cycle (the two ends of a slow link, or a slow peer and its neighbor). Of the waits for such a peer
/// and the waits in such a cycle, the longest one is returned; if two are equal, the one with the lower `to`.
/// If both directions of a link share what is slow, the result does not tell which direction it is.
std::optional<SlowestLink> slowest_link(const std::vector<PeerOutcome>& peers);

}  // namespace hearsay
