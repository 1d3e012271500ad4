#pragma once

#include <cstddef>
#include <string>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// Throws Misuse if `ulimit -n` lets this process, or one that it forks, open fewer files than it needs.
/// `who` begins the sentence: "peer 3, with 59 neighbors,".
void require_open_files(std::size_t needed, const std::string& who);

// Measured: 5 files a neighbor and 21 beside them; the process that forks the peers has 2 a peer and 14. The
// rest is for handshakes, strangers, checkpoints and logs.
constexpr std::size_t open_files_of_peer(std::size_t neighbors) { return 5 * neighbors + 64; }
constexpr std::size_t open_files_of_parent(std::size_t peers) { return 2 * peers + 64; }

/// The same for a peer of the experiment. If links change, all peers that it ever talks to count.
template <class Scalar>
void require_open_files_of(const Experiment<Scalar>& experiment, PeerId id) {
  const std::size_t neighbors = partners_of(experiment, id).sources.size();
  require_open_files(open_files_of_peer(neighbors),
                     "peer " + std::to_string(id) + ", with " + std::to_string(neighbors) + " neighbors,");
}

}  // namespace hearsay
