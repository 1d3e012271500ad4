#pragma once

#include <cstdint>

#include "topology/foundation/peer_id.hpp"
#include "topology/graph.hpp"

namespace hearsay {

// The random graph families. A graph is a pure function of its arguments: the same seed gives the same graph
// everywhere. Draws that are not connected are rejected. If a bounded number of draws gives no connected
// graph, Misuse says which parameter to change.

/// Every peer has `degree` links. The ends of links are paired at random; pairs that would link a peer with
/// itself, or two peers twice, are dissolved and paired again (Steger, Wormald 1999: close to uniform if the
/// degree is small against the number of peers). A degree above half of peer_count - 1 gives the complement
/// of such a graph. Degree 2 gives a random ring. Misuse unless degree < peer_count, peer_count * degree is
/// even and a connected graph exists.
Graph random_regular_graph(PeerId peer_count, PeerId degree, std::uint64_t seed);

/// Each pair is linked with probability `link_probability` in (0, 1], independently (Gilbert's form). O(n^2).
Graph erdos_renyi_graph(PeerId peer_count, double link_probability, std::uint64_t seed);

/// A ring in which every peer is linked with its `degree` nearest peers (an even number from 2 to peer_count
/// - 1). Then the far end of each link is moved to a random peer with probability `rewiring` in [0, 1]
/// (Watts, Strogatz 1998).
Graph small_world_graph(PeerId peer_count, PeerId degree, double rewiring, std::uint64_t seed);

/// Peers are random points of the unit square; two are linked if at most `radius` > 0 apart (Gilbert 1961).
/// Most draws are connected from a radius of about sqrt(ln n / (pi n)) on.
Graph geometric_graph(PeerId peer_count, double radius, std::uint64_t seed);

}  // namespace hearsay
