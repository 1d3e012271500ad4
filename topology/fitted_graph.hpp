#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "topology/gossip_forecast.hpp"
#include "topology/pairwise_links.hpp"

namespace hearsay {

struct FitSettings {
  std::size_t degree = 3;  ///< links that a peer has at most; at least 2, unless there are only two peers
  double message_bytes = 1e6;
  std::string weights = "metropolis";  ///< their kind (mixing_choices)
  std::uint64_t seed = 1;
  /// Called from time to time with the share of the search that is done, 0 to 1; may be empty.
  std::function<void(double share)> on_progress = {};
};

/// Searches the connected graph on which gossip on this network soonest reduces disagreement to a tenth with
/// symmetric weights of at least 0, as forecast_gossip predicts, and gives it weights of a kind. Links
/// without a use are left out.
///
///     1. For each of 32 lengths of a round, from the shortest one that a connected graph can have: a random
///        graph whose messages fit into it (RoundClock::least_seconds), then simulated annealing towards one
///        that mixes fast (QuickContraction). A step adds, removes or moves a link, crosses two links or
///        exchanges the places of two peers.
///     2. The two that are soonest by the clock, or the best family that fits the degree: annealing once
///        more, each graph with its fastest weights (fastest_mixing.hpp) and its own length of a round.
///     3. The result, or the best family that fits the degree, if that is predicted as soon with the weights
///        that they get.
///
/// So the plan is never predicted later than the ring, torus, exponential or complete graph of at most that
/// degree with the same kind of weights. The number of steps depends on the number of peers and the degree
/// only; the search takes seconds for 16 peers, and about half a minute for 300. The same arguments give the
/// same plan on one machine.
///
/// The fastest weights agree soonest, and others train sooner. Their smallest eigenvalue l_n is minus the
/// second largest, and D-PSGD is stable up to the step size (1 + l_n) / L only: on 16 peers with uneven ports
/// 0.31 / L, and 0.66 / L with Metropolis weights on the same links (bench/README.md).
///
/// Of the literature, the overlays of least cycle time (Marfoq, Xu, Neglia, Vidal 2020) leave out how fast a
/// graph mixes, and MATCHA (Wang, Sahu, Yang, Joshi, Kar 2019) how far apart peers are.
GossipPlan fitted_plan(const PairwiseLinks& links, const FitSettings& settings);

}  // namespace hearsay
