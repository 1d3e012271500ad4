#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "topology/gossip_forecast.hpp"
#include "topology/pairwise_links.hpp"

namespace hearsay {

struct FitSettings {
  std::size_t degree = 3;  ///< links that a peer has at most; at least 2, unless there are only two peers
  double message_bytes = 1e6;
  std::uint64_t seed = 1;
  /// Called from time to time with the share of the search that is done, 0 to 1; may be empty.
  std::function<void(double share)> on_progress = {};
};

/// Searches the connected graph, and symmetric weights of at least 0 on it, with which gossip on this network
/// soonest reduces disagreement to a tenth, as forecast_gossip predicts. Links without a use are left out.
///
///     1. For each of 32 lengths of a round, from the shortest one in which every peer reaches another: a
///        random graph whose messages fit into it (RoundClock::least_seconds), then simulated annealing
///        towards one that mixes fast (QuickContraction). A step adds, removes or moves a link, crosses two
///        links or exchanges the places of two peers.
///     2. The two that are soonest by the clock, or the best family that fits the degree: annealing once
///        more, each graph with its fastest weights (fastest_mixing.hpp) and its own length of a round.
///     3. The result, or the best family that fits the degree if that is predicted as soon.
///
/// So the plan is never predicted later than the ring, torus, exponential or complete graph of at most that
/// degree. The number of steps depends on the number of peers and the degree only; the search takes seconds
/// for 16 peers, and about half a minute for 300. The same arguments give the same plan on one machine.
///
/// Of the literature, the overlays of least cycle time (Marfoq, Xu, Neglia, Vidal 2020) leave out how fast a
/// graph mixes, and MATCHA (Wang, Sahu, Yang, Joshi, Kar 2019) how far apart peers are.
GossipPlan fitted_plan(const PairwiseLinks& links, const FitSettings& settings);

}  // namespace hearsay
