#pragma once

#include <cstdint>

#include "topology/foundation/peer_id.hpp"
#include "topology/graph.hpp"

namespace hearsay {

// The random graph families. A graph is a pure function of its arguments: the same seed gives the same graph
// everywhere. All are conditioned on being connected, by drawing again from the seed. If a bounded number of
// draws gives no connected graph, Misuse names the parameter to raise.

/// Every peer has `degree` links. Free ends are paired at random; ends whose link would be a loop or a double
/// are paired again (Steger, Wormald 1999: close to uniform if the degree is small against the number of
/// peers). Above half the possible degrees it is the complement of such a graph. Degree 2 is a random ring.
/// Misuse unless degree < peer_count, peer_count * degree is even and a connected graph exists.
Graph random_regular_graph(PeerId peer_count, PeerId degree, std::uint64_t seed);

/// Each pair is a link with probability `link_probability`, independently (Gilbert's form); in (0, 1].
/// O(n^2).
Graph erdos_renyi_graph(PeerId peer_count, double link_probability, std::uint64_t seed);

/// A ring in which every peer is linked with the `degree` nearest (degree even, below peer_count), and the
/// far end of each link is moved to a random peer with probability `rewiring` in [0, 1] (Watts, Strogatz
/// 1998).
Graph small_world_graph(PeerId peer_count, PeerId degree, double rewiring, std::uint64_t seed);

/// Peers are random points of the unit square, linked if they are at most `radius` > 0 apart (Gilbert 1961).
/// Drawn graphs are connected from a radius of about sqrt(ln n / (pi n)) on.
Graph geometric_graph(PeerId peer_count, double radius, std::uint64_t seed);

}  // namespace hearsay
