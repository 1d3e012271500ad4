#pragma once

#include <cstdint>

#include "algorithms/seam/method_options.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Returns H_i, the local steps that a peer takes in a round: its place in algorithm.worker_steps, if that is
/// a list ("2, 4, 8"), else algorithm.local_steps; 1 for methods that read neither. Misuse, naming
/// algorithm.worker_steps, unless the list has a whole number of at least 1 for every peer.
std::uint64_t local_steps_of(const MethodOptions& options, PeerId peer, PeerId peer_count);

/// Returns the mean over the peers.
double mean_local_steps(const MethodOptions& options, PeerId peer_count);

}  // namespace hearsay
