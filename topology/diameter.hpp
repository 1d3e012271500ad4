#pragma once

#include "topology/graph.hpp"

namespace hearsay {

/// The diameter of a graph, or bounds of it.
struct Diameter {
  unsigned least;
  unsigned most;

  bool is_exact() const { return least == most; }
};

/// Returns the diameter of a connected graph (graph.hpp), or bounds of it where it would take more than some
/// seconds. Exact if the graph looks the same from every peer (ring, torus, hypercube, exponential), if
/// searches from some peers rule out all others (path, star, grid), and on all graphs up to some 10,000
/// peers. Large random graphs get bounds.
Diameter bounded_diameter(const Graph& graph);

}  // namespace hearsay
