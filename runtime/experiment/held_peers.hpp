#pragma once

#include <vector>

#include "algorithms/objectives/home.hpp"
#include "runtime/cluster/topology_file.hpp"

namespace hearsay {

/// So many peers are simulated: no machine has a process for each.
inline constexpr PeerId many_peers = 100'000;

/// The peers of a run that share the memory of this machine, as far as this process knows.
struct HeldPeers {
  std::vector<PeerId> ids;  ///< ascending
  bool in_processes;        ///< each in a process of its own; else all in this one, in virtual time
};

/// Returns the peer with the most neighbors; of several the first one.
PeerId busiest_peer(const Graph& graph);

/// Returns them: all peers, unless this process is the peer `home.peer`; then those whose addresses have the
/// host of its own. If the run is only looked at and the topology file places peers on other machines, one
/// peer, with the most neighbors: how much memory those machines have is not known here.
HeldPeers held_peers(const NamedTopology& topology, const Home& home);

}  // namespace hearsay
