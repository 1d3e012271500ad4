#pragma once

#include <cstddef>
#include <vector>

#include "topology/foundation/peer_id.hpp"
#include "topology/graph.hpp"

namespace hearsay {

/// From which link weights to choose.
enum class LinkWeights {
  any,      ///< fastest distributed linear averaging: weights and self weights may be negative
  averages  ///< the fastest mixing Markov chain: weights and self weights are at least 0
};

/// Symmetric link weights p that make rho(p) = ||W(p) - J||_2 as small as possible, and the proof.
struct FastestWeights {
  /// One weight for each link, in the order of Graph::edges(). A weight of 0 means that the link is better
  /// not used.
  std::vector<double> edge_weights;
  /// A lower bound: no weights of the requested kind on these links have a smaller rho than this, but for
  /// some 1e-12 of rounding.
  double least_rho;
};

/// Beyond either of these limits the dense solver takes more than about ten seconds.
constexpr PeerId fastest_peers = 400;
constexpr std::size_t fastest_links = 1200;

/// Solves, with a_l = e_i - e_j for the link l between i and j and W(p) = I - sum_l p_l a_l a_l',
///
///     minimize s  over p, s  such that   A = s I - (W(p) - J) and B = s I + (W(p) - J) are positive
///                                        semidefinite and, for averages, p >= 0 and the sum of p_l over the
///                                        links at each peer <= 1
///
/// (Xiao, Boyd 2004; Boyd, Diaconis, Xiao 2004) by a primal-dual interior point method. The matrices of the
/// links have rank one, so its Newton matrix costs O(links^2); an iteration is O(links^3 + peers^3), and 15
/// to 30 do.
///
/// The certificate. For positive semidefinite X, Y with tr X + tr Y = 1 every W satisfies
///
///     rho(W) >= <X - Y, W - J> = <X - Y, I - J> - sum_l p_l y_l,    y_l = a_l' (X - Y) a_l
///
/// and the multipliers X of A and Y of B that the method ends with make the right side nearly rho of its own
/// W.
///
/// * averages: with any z >= 0 such that z_i + z_j >= y_l for each link, sum_l p_l y_l <= sum_l p_l (z_i +
///   z_j) <= sum_i z_i. So rho(W) >= <X - Y, I - J> - sum_i z_i; z are the multipliers of the row sums,
///   raised where they fall short of y_l.
/// * any: the y_l are zero but for rounding. A W with rho(W) <= r has |w_ij - 1/n| <= r, hence |p_l| <= r +
///   1/n, and rho(W) >= <X - Y, I - J> - (r + 1/n) sum_l |y_l|, where r is the rho that the method has
///   reached.
///
/// The weights are whole multiples of 2^-30, so that they depend less on a machine's rounding. Weights below
/// 1e-7 become 0: their links would be used for nothing.
/// Departs: the papers use subgradients or an SDP solver.
///
/// Misuse, naming topology.weights, for more than fastest_peers peers or fastest_links links.
FastestWeights fastest_weights(const Graph& graph, LinkWeights kind);

/// True if the graph, numbered as its family is, is one whose links all look alike (ring, complete, star,
/// square torus, hypercube). Since rho is convex in the weights, one weight for all links is then the
/// fastest, by symmetry.
bool links_look_alike(const Graph& graph);

}  // namespace hearsay
