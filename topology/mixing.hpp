#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "topology/graph.hpp"
#include "topology/mixing_row.hpp"
#include "topology/foundation/peer_id.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

struct FastestWeights;

/// `to` hears `from` with this weight: the entry w_{to,from} of W.
struct WeightedLink {
  PeerId from;
  PeerId to;
  double weight;
};

/// `to` hears `from`, which need not be mutual.
struct OneWayLink {
  PeerId from;
  PeerId to;
};

/// A doubly stochastic mixing matrix W (but for `directed`), row = receiver: x_i+ = sum_j w_ij x_j. Sparse, immutable.
///
/// The diagonal is always w_ii = 1 - sum_j w_ij, summed over the neighbors in ascending id, so that every
/// peer and every check rounds alike. Verified at construction: columns sum to 1 within 1e-12 as the rows do,
/// so mixing keeps the mean of the replicas; every weight is finite. Weights may be negative (fastest,
/// best-constant on a star, some explicit matrices): `non_negative` says so, and a method that needs averages
/// refuses such a W.
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
  /// constant that contracts fastest (Xiao, Boyd 2004). Self weights can be negative: a star's hub's is. The
  /// graph is connected. Costs a `spectrum`.
  static MixingMatrix best_constant(const Graph& graph);
  /// The symmetric weights with the smallest rho (fastest distributed linear averaging; Xiao, Boyd 2004). Weights
  /// and self weights can be negative. Misuse where the solver is at its limits (fastest_mixing.hpp), but no limit
  /// on graphs whose links all look alike, where best_constant is the answer. A link that is better not used
  /// is left out. The graph is connected.
  static MixingMatrix fastest(const Graph& graph);
  /// The same among weights and self weights of at least 0 (the fastest mixing Markov chain; Boyd, Diaconis,
  /// Xiao 2004), for methods that need averages.
  static MixingMatrix fastest_chain(const Graph& graph);
  /// The same weight both ways on each link of the graph, edge_weights[k] on graph.edges()[k].
  static MixingMatrix explicit_weights(const Graph& graph, std::span<const double> edge_weights,
                                       std::span<const std::string> names = {});

  /// For push-sum, which reads no weights: who hears whom, each peer the plain average of what it hears and itself.
  /// Columns need not sum to 1. Misuse, as above, and where some peer's news never reach another.
  static MixingMatrix directed(PeerId peer_count, std::span<const OneWayLink> links,
                               std::span<const std::string> names = {});

  PeerId peer_count() const { return static_cast<PeerId>(rows_.size()); }
  const MixingRow& row(PeerId peer) const;
  std::size_t link_count() const { return link_count_; }  ///< entries off the diagonal
  bool symmetric() const { return symmetric_; }           ///< W = W', bit for bit
  /// Columns sum to 1 as rows do, so mixing keeps the mean; always so, but for `directed`.
  bool doubly_stochastic() const { return doubly_stochastic_; }
  /// Whom a peer hears hears it; always so, but for `directed` and what is made of single entries.
  bool mutual() const { return mutual_; }
  /// No weight is below 0, self weights included (but for what rounding leaves of a self weight of 0).
  bool non_negative() const { return non_negative_; }
  /// Of `fastest` and `fastest_chain`: no matrix of their kind on these links has a smaller rho (spectrum.hpp),
  /// but for some 1e-12 of rounding. None of others.
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
