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

/// A mixing matrix W (row = receiver): x_i+ = sum_j w_ij x_j. Doubly stochastic (`directed` ones need not
/// be), sparse, immutable.
///
/// The diagonal is always w_ii = 1 - sum_j w_ij, summed over the neighbors in ascending id, so that every
/// peer and every check rounds alike. The constructor verifies that every weight is finite and that the
/// columns sum to 1 within 1e-12, as the rows do by construction; so mixing keeps the mean. Weights may be
/// negative (`fastest`, `best-constant` on a star, some explicit matrices). `non_negative` is then false, and
/// a method that needs averages refuses such a W.
class MixingMatrix {
 public:
  /// Builds W from its entries off the diagonal, in any order, at most one per (from, to). Misuse names the
  /// peer whose column does not sum to 1, or the link that is out of range, given twice, of weight 0 or not
  /// finite. `names` are the names of the peers in these sentences; if empty, their numbers.
  MixingMatrix(PeerId peer_count, std::vector<WeightedLink> links, std::span<const std::string> names = {});

  /// Metropolis-Hastings: w_ij = 1 / (1 + max(d_i, d_j)) on links, with d the degrees.
  static MixingMatrix metropolis(const Graph& graph);
  /// w_ij = 1 / (1 + max degree) on links.
  static MixingMatrix max_degree(const Graph& graph);
  /// (I + W) / 2 of the Metropolis matrix W: no negative eigenvalues, at most half the gap.
  static MixingMatrix lazy(const Graph& graph);
  /// I - a L, with L the graph Laplacian and a = 2 / (largest + second smallest eigenvalue of L), the
  /// constant that contracts fastest (Xiao, Boyd 2004). Self weights can be negative, for example a star's
  /// hub. The graph must be connected. Costs one call of `spectrum`.
  static MixingMatrix best_constant(const Graph& graph);
  /// The symmetric weights with the smallest rho (fastest distributed linear averaging; Xiao, Boyd 2004).
  /// Weights and self weights can be negative. Links of weight 0 are left out. The graph must be connected.
  /// Misuse beyond the limits of the solver (fastest_mixing.hpp). Graphs whose links all look alike have no
  /// limit, since best_constant solves them.
  static MixingMatrix fastest(const Graph& graph);
  /// As `fastest`, with weights and self weights of at least 0 (the fastest mixing Markov chain; Boyd,
  /// Diaconis, Xiao 2004), for methods that need averages.
  static MixingMatrix fastest_chain(const Graph& graph);
  /// The given weights, the same in both directions of a link: edge_weights[k] on graph.edges()[k].
  static MixingMatrix explicit_weights(const Graph& graph, std::span<const double> edge_weights,
                                       std::span<const std::string> names = {});

  /// For push-sum, which reads only who hears whom, not the weights. The row of each peer is the plain
  /// average of itself and of the peers that it hears; columns need not sum to 1. Misuse for a bad link, as
  /// in the constructor, and unless every peer can be reached from every other along the links.
  static MixingMatrix directed(PeerId peer_count, std::span<const OneWayLink> links,
                               std::span<const std::string> names = {});

  PeerId peer_count() const { return static_cast<PeerId>(rows_.size()); }
  const MixingRow& row(PeerId peer) const;
  std::size_t link_count() const { return link_count_; }  ///< entries off the diagonal
  bool symmetric() const { return symmetric_; }           ///< W = W', bit for bit
  /// True if columns sum to 1 as rows do, so that mixing keeps the mean. Only a `directed` matrix can give
  /// false.
  bool doubly_stochastic() const { return doubly_stochastic_; }
  /// True if every link goes both ways: whoever a peer hears also hears that peer. Only a matrix that is
  /// `directed` or built from single entries can give false.
  bool mutual() const { return mutual_; }
  /// True if no weight and no self weight is below 0. A self weight may be below 0 by rounding, at most
  /// 1e-12.
  bool non_negative() const { return non_negative_; }
  /// For `fastest` and `fastest_chain`: no matrix of the same kind on these links has a rho (spectrum.hpp)
  /// below this bound, up to about 1e-12 of rounding. Nothing for other matrices.
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

/// Returns the matrix that topology.weights names: one of `mixing_choices`, as above. ("explicit" is none of
/// them, since its weights are in the topology file.) Misuse for an unknown name.
MixingMatrix make_mixing(const std::string& weights, const Graph& graph);
std::span<const Choice> mixing_choices();

}  // namespace hearsay
