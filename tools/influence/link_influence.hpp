#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/objectives/samples.hpp"
#include "algorithms/seam/step_size.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

// Over which links did the influence of a peer's data pass to the other peers? (Ours.)
//
// In x_i(t) = sum_l w_il x_l(t-1) - eta_t g_i, what a step of peer j has moved is mixed from then on as the
// rest of the model is. Let q_j(t) be the part of the influence of j's data that iteration t brings
// (influence.hpp; the trapezoid rule shares it out between kept models), and h_ij(t) what of it is in the
// model of peer i:
//
//     h_ij(t) = sum_l w_il h_lj(t-1) + q_j(t) [i = j]                           h_ij(0) = 0
//
// The columns of W sum to 1. So the models hold the influence whole: sum_i h_ij(T) = sum_t q_j(t) = I_j,
// which is why it moved their mean. In iteration t the share w_il h_lj(t-1) passes the link from l to i, and
// w_li h_ij(t-1) comes back. What has passed is the difference, summed over the run:
//
//     F_j(l -> i) = sum_t w_il h_lj(t-1) - w_li h_ij(t-1) = -F_j(i -> l)
//
// Since 1 - w_ii = sum_l w_li, what a peer holds at the end is its own and what entered over its links:
//
//     h_ij(T) = I_j [i = j] + sum_l F_j(l -> i)
//
// With a consensus step gamma, W is (1 - gamma) I + gamma W. It holds for D-PSGD, and for DCD-PSGD up to the
// errors of its compressor: there, peers mix each other's very models. A hub and an all-reduce have no W.

/// What has passed a link, by the peer whose data it is due to.
struct LinkFlow {
  PeerId from;  ///< less than `to`
  PeerId to;
  Vector<double> flow;  ///< F_j(from -> to); negative the other way

  double of_first() const { return flow[from]; }  ///< of the data of `from`, to `to`
  double of_second() const { return -flow[to]; }  ///< of the data of `to`, to `from`
  double net() const { return flow.sum(); }       ///< of all data, from `from` to `to`
};

struct LinkInfluence {
  std::vector<LinkFlow> links;  ///< by their ends
  DenseRows<double> held;       ///< h_ij(T), j by column
};

/// Throws Misuse (option --by) for a run to which the derivation does not apply.
void require_links(const RunSettings& settings);

/// Returns the influences over links. `slopes`: of each kept iteration (row) and peer (column), the sum over
/// its shard of the products of gradients, so that the influence of the peer is w_k times that, summed over
/// k. `samples`: of all peers.
LinkInfluence link_influence(const Schedule& schedule, double consensus_step,
                             std::span<const std::uint64_t> iterations, const StepSize& step_size,
                             const DenseRows<double>& slopes, std::uint64_t samples);

}  // namespace hearsay
