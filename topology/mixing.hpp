#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/foundation/peer_id.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph.hpp"
#include "topology/mixing_row.hpp"

namespace hearsay {

struct FastestWeights;

/// `to` hears `from` with this weight: the entry w_{to,from} of W.
struct WeightedLink {
  PeerId from;
  PeerId to;
  double weight;
};

/// `to` hears `from`; the reverse need not hold.
struct OneWayLink {
  PeerId from;
  PeerId to;
};

/// A mixing matrix W, row = receiver: x_i+ = sum_j w_ij x_j. Doubly stochastic (but for `directed`), sparse,
/// immutable.
///
/// The diagonal is always w_ii = 1 - sum_j w_ij, summed over the neighbors in ascending id, so that every
/// peer and every check rounds alike. The constructor verifies that columns sum to 1 within 1e-12, as the
/// rows do, so that mixing keeps the mean of the replicas, and that every weight is finite. Weights may be
/// negative (fastest, best-constant on a star, some explicit matrices): `non_negative` says so, and a method
/// that needs averages refuses such a W.
class MixingMatrix {
 public:
  /// From the entries off the diagonal, in any order, at most one per (from, to). Misuse names the peer whose
  /// column does not sum to one, and any link that is out of range, given twice, of weight 0 or not finite;
  /// `names` are the peers' names in these sentences (their numbers if empty).
  MixingMatrix(PeerId peer_count, std::vector<WeightedLink> links, std::span<const std::string> names = {});

  /// Metropolis-Hastings: w_ij = 1 / (1 + max(d_i, d_j)) on links, with d the degrees.
  static MixingMatrix metropolis(const Graph& graph);
  /// w_ij = 1 / (1 + max degree) on links.
  static MixingMatrix max_degree(const Graph& graph);
  /// (I + W) / 2 of the Metropolis matrix W: no negative eigenvalues, at most half the gap.
  static MixingMatrix lazy(const Graph& graph);
  /// I - a L, with L the graph Laplacian and a = 2 / (largest + second smallest eigenvalue of L), the
  /// constant that contracts fastest (Xiao, Boyd 2004). Self weights can be negative, as that of a star's
  /// hub. The graph must be connected. Costs a `spectrum`.
  static MixingMatrix best_constant(const Graph& graph);
  /// The symmetric weights with the smallest rho (fastest distributed linear averaging; Xiao, Boyd 2004).
  /// Weights and self weights can be negative. Misuse beyond the solver's limits (fastest_mixing.hpp); graphs
  /// whose links all look alike have no limit, since best_constant is the answer for them. A link that is
  /// better not used is left out. The graph must be connected.
  static MixingMatrix fastest(const Graph& graph);
  /// The same among weights and self weights of at least 0 (the fastest mixing Markov chain; Boyd, Diaconis,
  /// Xiao 2004), for methods that need averages.
  static MixingMatrix fastest_chain(const Graph& graph);
  /// The same weight in both directions of each link: edge_weights[k] on graph.edges()[k].
  static MixingMatrix explicit_weights(const Graph& graph, std::span<const double> edge_weights,
                                       std::span<const std::string> names = {});

  /// For push-sum, which reads only who hears whom, not the weights. Each peer takes the plain average of
  /// itself and of the peers that it hears; columns need not sum to 1. Misuse as above, and if news of some
  /// peer never reach another.
  static MixingMatrix directed(PeerId peer_count, std::span<const OneWayLink> links,
                               std::span<const std::string> names = {});

  PeerId peer_count() const { return static_cast<PeerId>(rows_.size()); }
  const MixingRow& row(PeerId peer) const;
  std::size_t link_count() const { return link_count_; }  ///< entries off the diagonal
  bool symmetric() const { return symmetric_; }           ///< W = W', bit for bit
  /// True if columns sum to 1 as rows do, so that mixing keeps the mean. False only for some `directed`
  /// matrices.
  bool doubly_stochastic() const { return doubly_stochastic_; }
  /// True if every peer that a peer hears also hears it. False only for some matrices that are `directed` or
  /// made of single entries.
  bool mutual() const { return mutual_; }
  /// True if no weight is below 0, self weights included (but for what rounding leaves of a self weight of
  /// 0).
  bool non_negative() const { return non_negative_; }
  /// For `fastest` and `fastest_chain`: a bound such that no matrix of their kind on these links has a
  /// smaller rho (spectrum.hpp), but for some 1e-12 of rounding. Nothing for other matrices.
  std::optional<double> least_rho() const { return least_rho_; }

 private:
  static MixingMatrix on_used_links(const Graph& graph, const FastestWeights& found);
  enum class Columns { sum_to_one, may_not };
  MixingMatrix(PeerId peer_count, std::vector<WeightedLink> links, std::span<const std::string> names,
               Columns columns);

  std::vector<MixingRow> rows_;
  std::size_t link_count_ = 0;
  bool symmetric_ = true;
  bool non_negative_ = true;
  std::optional<double> least_rho_;
  bool doubly_stochastic_ = true;
  bool mutual_ = true;
};

/// The weights of a run file's topology.weights, by name; `metropolis` and so on as above.
MixingMatrix make_mixing(const std::string& weights, const Graph& graph);
std::span<const Choice> mixing_choices();

}  // namespace hearsay
