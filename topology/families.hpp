#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "topology/foundation/peer_id.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// The graph that topology.kind spells, on `peers` peers: "ring", "torus(4x4)", "random-regular(4)",
/// "small-world(4, 0.1)" ... (`family_choices` has them all). Always connected. `seed` matters to the random
/// families only.
///
/// Misuse, naming topology.kind: an unknown family (and the nearest known one), arguments that do not fit it,
/// a random family whose draws do not connect. Misuse, naming topology.peers: a number the family cannot have
/// (12 peers on torus(4x4), 6 on a hypercube), or one so large that the graph would not fit in memory.
Graph make_graph(const std::string& spelling, PeerId peers, std::uint64_t seed);

/// A family together with its peers, as `hearsay topology SPEC` takes it.
struct TopologySpec {
  std::string spelling;  ///< for make_graph
  PeerId peers;
};

/// The peers are the first argument, before the family's own: "ring(16)", "random-regular(16, 4)",
/// "small-world(100, 4, 0.1)"; the peers of a torus and a grid follow from their size: "torus(4x4)".
TopologySpec parse_topology_spec(const std::string& spec);

std::span<const Choice> family_choices();

}  // namespace hearsay
