#pragma once

#include "topology/foundation/peer_id.hpp"
#include "topology/graph.hpp"

namespace hearsay {

// The graph families without randomness. All are connected for every peer_count >= 1. Links that coincide (in
// a ring of 2, a torus with a side of 2) are one link; a ring of 1 has no link.

/// 0 - 1 - ... - n-1 - 0.
Graph ring_graph(PeerId peer_count);
/// 0 - 1 - ... - n-1.
Graph path_graph(PeerId peer_count);
/// Every peer is linked with every other.
Graph complete_graph(PeerId peer_count);
/// Peer 0 is the hub.
Graph star_graph(PeerId peer_count);
/// Peers 1 to g are linked with peer 0, and the others with one of these g, in turn. 1 <= g < n.
Graph hub_tree_graph(PeerId peer_count, PeerId groups);
/// Peer row * columns + column is linked with the next and the previous peer of its row and of its column;
/// both directions wrap around. Four links each, one less for each side of 2, two less for each side of 1.
Graph torus_graph(PeerId rows, PeerId columns);
/// The torus without the wrapping links.
Graph grid_graph(PeerId rows, PeerId columns);
/// i is linked with i XOR 2^k for k = 0 ... dimensions-1; 2^dimensions peers.
Graph hypercube_graph(unsigned dimensions);
/// i is linked with i + 2^k and i - 2^k (mod n) for 2^k < n: the links of the one-peer exponential schedule.
Graph exponential_graph(PeerId peer_count);

}  // namespace hearsay
