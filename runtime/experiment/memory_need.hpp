#pragma once

#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/held_peers.hpp"
#include "runtime/experiment/peer_memory.hpp"

namespace hearsay {

/// What the processes of a run take, in bytes: each the most that one of its kind does. Of the peers that is
/// peer 0, which may be a hub, or a peer with the most neighbors.
struct ProcessBytes {
  double peer = 0.0;
  double restored_peer = 0.0;  ///< while it reads its checkpoint and its log; 0 without checkpoints
  /// The mean, a model that it reads, the best one if that is kept, and what an objective that is drawn takes
  /// to be evaluated; or what it took to try the compressor.
  double observer = 0.0;
  /// The observer is in the process of peer 0, beside the peer: not all are on its machine.
  bool on_hosts = false;
};
template <class Scalar>
ProcessBytes process_bytes(const Experiment<Scalar>& experiment);

/// Returns the bytes that the peers on this machine take.
template <class Scalar>
double memory_of_peers(const Experiment<Scalar>& experiment, const HeldPeers& held);

/// Throws Misuse, which says how many peers and parameters fit, if the peers need more memory than this
/// machine has. How many peers fit is left out if it is not known: the links that a topology file lists are
/// those of so many peers.
template <class Scalar>
void require_memory(const Experiment<Scalar>& experiment, const HeldPeers& held);

/// The same of 100,000 peers or more, before their graph is made, which takes gigabytes: judges by a run with
/// few peers, and says first what else refuses so many: their family, or too few samples. Of families whose
/// peers have more links the more peers there are, it lets some runs pass that `require_memory` refuses, and
/// says not how many peers fit.
template <class Scalar>
void require_memory_of_many(const RunSettings& settings, const Home& home);

}  // namespace hearsay
