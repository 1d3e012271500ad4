#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "topology/foundation/peer_id.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// Returns the graph that topology.kind spells, on `peers` peers: "ring", "torus(4x4)", "random-regular(4)",
/// "small-world(4, 0.1)" ... (all are in `family_choices`). Always connected. `seed` matters to the random
/// families only.
///
/// Misuse, naming topology.kind: an unknown family (with the nearest known one), arguments that do not fit
/// the family, a random family that gave no connected graph in its draws. Misuse, naming topology.peers: a
/// number of peers that the family cannot have (12 on torus(4x4), 6 on a hypercube), or so many that the
/// links would not fit in memory.
Graph make_graph(const std::string& spelling, PeerId peers, std::uint64_t seed);

/// Throws what `make_graph` throws, as far as it is known before a graph is made.
void require_family(const std::string& spelling, PeerId peers);

/// True if a peer has as many links on average, however many peers there are. Misuse, naming topology.kind,
/// if `spelling` is none.
bool has_steady_degree(const std::string& spelling);

struct GridSize {
  PeerId rows;
  PeerId columns;
};

/// Returns the two factors of `peers` that are closest to each other, the smaller one first.
GridSize squarest(PeerId peers);

/// Returns the size as spellings have it: "4x5".
std::string size_text(GridSize size);

/// True if the seed decides which peers are linked. Misuse, naming topology.kind, if `spelling` is none.
bool is_random_family(const std::string& spelling);

/// True if the spelling says how many peers there are: "torus(4x4)". Misuse, naming topology.kind, if it is
/// none.
bool names_its_size(const std::string& spelling);

/// A family and its number of peers, as `hearsay topology SPEC` takes them.
struct TopologySpec {
  std::string spelling;  ///< for make_graph
  PeerId peers;
};

/// Parses SPEC. The number of peers is the first argument, before the family's own: "ring(16)",
/// "random-regular(16, 4)", "small-world(100, 4, 0.1)". For a torus and a grid it follows from their size:
/// "torus(4x4)". Misuse, naming SPEC.
TopologySpec parse_topology_spec(const std::string& spec);

std::span<const Choice> family_choices();

}  // namespace hearsay
