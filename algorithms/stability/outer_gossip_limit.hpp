#pragma once

#include <string>

#include "algorithms/seam/method.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// Returns the exclusive lower bound on the smallest eigenvalue of a static W that the method needs with
/// these options. At most -1 if every W with which gossip converges will do. For an outer momentum, along an
/// eigenvalue l of W, mu = gamma (1 - l):
///
///   each peer's own   z^2 - (1 + beta - mu) z + beta             inside the unit circle iff mu < 2 (1 +
///   beta) mixed             z^2 - (1 - mu) (1 + beta) z + (1 - mu) beta                iff mu < 1 + 1/(1 + 2
///   beta)
double smallest_eigenvalue_needed(const MethodInfo& method, const MethodOptions& options);

/// Returns by which factor a round of this gossip multiplies the disagreement of the peers, on average over
/// the second half of up to 600 rounds of the schedule, from a start that is always the same. Below 1 the
/// peers agree in the end. Fewer rounds if they would take more than 6e7 weights.
double growth_per_round(const OuterGossip& gossip, const Schedule& schedule);

/// Returns the largest gamma up to 2, in hundredths, at which the peers agree in the end. 0 if there is none.
double largest_consensus_step(OuterGossip gossip, const Schedule& schedule);

/// Returns why the peers would not agree in the end, with the remedy, as the end of a Misuse of
/// algorithm.consensus_step. Empty if they will, or if the method has no outer momentum.
std::string disagreement(const MethodInfo& method, const MethodOptions& options, const Schedule& schedule);

}  // namespace hearsay
