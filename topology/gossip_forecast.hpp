#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "topology/graph.hpp"
#include "topology/mixing.hpp"
#include "topology/pairwise_links.hpp"
#include "topology/round_clock.hpp"

namespace hearsay {

/// How long plain gossip takes on a network until the disagreement is a tenth of what it was.
struct GossipForecast {
  double seconds_per_round = 0.0;
  double rounds = 1.0;  ///< log 10 / log(1 / rho), at least 1; infinite if the peers never agree
  double seconds() const { return seconds_per_round * rounds; }
};

/// Returns the rounds in which a factor of `rho` a round makes a tenth; at least 1.
double rounds_to_a_tenth(double rho);

/// Returns the forecast of a symmetric W: seconds per round by RoundClock, rounds by rho (spectrum.hpp).
GossipForecast forecast_gossip(const MixingMatrix& mixing, const PairwiseLinks& links, double message_bytes);

/// A mixing matrix with its forecast.
struct GossipPlan {
  std::string name;     ///< how the graph was made: "torus(4x4)", "fitted"
  std::string weights;  ///< how its weights were made: "fastest-chain", "metropolis"
  MixingMatrix mixing;
  GossipForecast forecast;
};

/// True if weights of this kind come from a solver with limits (fastest_mixing.hpp).
bool comes_from_solver(const std::string& weights);

/// Returns the graph with weights of a kind (mixing_choices); with metropolis weights if it is beyond the
/// solver of the fastest ones.
GossipPlan plan_of(std::string name, const Graph& graph, const std::string& weights,
                   const PairwiseLinks& links, double message_bytes);

/// Returns the plans of ring, torus, exponential and complete graph, if there are such on the peers of
/// `links`, numbered as they are. The torus has the two factors of their number that are closest to each
/// other; a prime number has none. Graphs with more than `degree` links at a peer are left out.
std::vector<GossipPlan> plans_of_families(const PairwiseLinks& links, double message_bytes,
                                          const std::string& weights,
                                          std::size_t degree = std::numeric_limits<std::size_t>::max());

NeighborLists neighbor_lists(const MixingMatrix& mixing);

}  // namespace hearsay
