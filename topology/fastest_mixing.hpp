#pragma once

#include <cstddef>
#include <vector>

#include "topology/foundation/peer_id.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// The weights that the optimization may choose from.
enum class LinkWeights {
  any,      ///< fastest distributed linear averaging: weights and self weights may be negative
  averages  ///< the fastest mixing Markov chain: weights and self weights are at least 0
};

/// Symmetric link weights p that make rho(p) = ||W(p) - J||_2 as small as possible, with a proof: a lower
/// bound.
struct FastestWeights {
  /// One weight for each link, in the order of Graph::edges(). A link of weight 0 is better left out.
  std::vector<double> edge_weights;
  /// No weights of the requested kind on these links have a rho below this, up to about 1e-12 of rounding.
  double least_rho;
};

/// The limits of the dense solver, beyond either of which it would take more than about ten seconds.
constexpr PeerId fastest_peers = 400;
constexpr std::size_t fastest_links = 1200;
constexpr bool suits_fastest_solver(PeerId peers, std::size_t links) {
  return peers <= fastest_peers && links <= fastest_links;
}

/// Solves, with a_l = e_i - e_j for the link l between i and j and W(p) = I - sum_l p_l a_l a_l',
///
///     minimize s  over p, s  such that   A = s I - (W(p) - J) and B = s I + (W(p) - J) are positive
///                                        semidefinite and, for averages, p >= 0 and the sum of p_l over the
///                                        links at each peer <= 1
///
/// (Xiao, Boyd 2004; Boyd, Diaconis, Xiao 2004) by a primal-dual interior point method. The matrices of the
/// links have rank one, so its Newton matrix costs O(links^2). An iteration is O(links^3 + peers^3); 15 to 30
/// iterations suffice.
///
/// The certificate. For positive semidefinite X, Y with tr X + tr Y = 1 every W satisfies
///
///     rho(W) >= <X - Y, W - J> = <X - Y, I - J> - sum_l p_l y_l,    y_l = a_l' (X - Y) a_l
///
/// The multipliers X of A and Y of B with which the method ends make the right side nearly the rho of the W
/// found.
///
/// * averages: with any z >= 0 such that z_i + z_j >= y_l for each link, sum_l p_l y_l <= sum_l p_l (z_i +
///   z_j) <= sum_i z_i. So rho(W) >= <X - Y, I - J> - sum_i z_i. The z are the multipliers of the row sums,
///   raised if their sum is below y_l.
/// * any: the y_l are zero but for rounding. A W with rho(W) <= r has |w_ij - 1/n| <= r, hence |p_l| <= r +
///   1/n, and rho(W) >= <X - Y, I - J> - (r + 1/n) sum_l |y_l|, where r is the rho that the method has
///   reached.
///
/// The weights are rounded down to multiples of 2^-30, so that they depend less on a machine's rounding.
/// Weights within 1e-7 of 0 become 0, since their links gain nothing.
/// Departs: the papers use subgradients or an SDP solver.
///
/// Misuse, naming topology.weights, for more than fastest_peers peers or fastest_links links.
FastestWeights fastest_weights(const Graph& graph, LinkWeights kind);

/// True if the graph is a ring, complete, a star, a square torus or a hypercube, with the peers numbered as
/// by its family. All its links then look alike, so one weight for all of them is the fastest: by symmetry,
/// since rho is convex in the weights.
bool links_look_alike(const Graph& graph);

}  // namespace hearsay
