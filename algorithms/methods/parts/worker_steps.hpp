#pragma once

#include <cstdint>

#include "algorithms/seam/method_options.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// True if algorithm.worker_steps is a list ("2, 4, 8"), so that algorithm.local_steps is not read.
bool lists_worker_steps(const MethodOptions& options);

/// Returns H_i, the local steps that a peer takes in a round: its place in algorithm.worker_steps, if that is
/// a list, else algorithm.local_steps; 1 for methods that read neither, and for a hub without data, which has
/// no place in the list. `worker_count`: n, the peers with data. Misuse, naming algorithm.worker_steps,
/// unless the list has a whole number of at least 1 for each of them.
std::uint64_t local_steps_of(const MethodOptions& options, PeerId peer, PeerId peer_count,
                             PeerId worker_count);

/// Returns the mean over the peers with data.
double mean_local_steps(const MethodOptions& options, PeerId worker_count);
/// Returns the most that one of them takes.
std::uint64_t most_local_steps(const MethodOptions& options, PeerId worker_count);

}  // namespace hearsay
