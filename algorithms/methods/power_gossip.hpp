#pragma once

#include <vector>

#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// PowerGossip: two neighbors exchange one step of a power iteration on the difference of their layers'
/// matrices, and move towards each other by its result. There is no step size to tune. For each matrix a
/// message has the size of `rank` rows or columns.
///
///   gradient   g_i = grad F_i(x_i; xi_i);   x_i <- x_i - eta g_i
///   For every edge (lo, hi), lo < hi, and the matrix M of every layer:
///   directions odd t: columns P of orthonormal vectors, shared by both ends (right ones);
///              even t: the same from the left
///   exchange   send M_i P (even t: M_i' P);   D = M_hi P - M_lo P
///   consensus  M_lo <- M_lo + gamma w D P',   M_hi <- M_hi - gamma w D P'          (even t: P D')
///   warm start the directions of the next iteration are D, made orthonormal
///   Layers without a second dimension are exchanged in full: D = x_hi - x_lo.
///
/// Options    rank, the columns of P, at most a layer's shorter side; consensus_step gamma; optimizer,
///            local_steps: see LocalSteps.
/// Sends      deg messages of 4 rank (rows or columns) bytes per layer's matrix (8 in double) and 4 a
///            coordinate elsewhere.
/// Shapes     x, D and g in R^d, and per neighbor rank (rows + columns) scalars a matrix: memory 3 d and
///            those.
/// Needs      W symmetric and fixed; a model with matrices (softmax, mlp), for without them no bytes are
///            saved.
/// Invariant  both ends of an edge compute the same D and P, bit for bit, and move by exactly opposite
///            amounts, so the mean of the models is kept; a difference of at most that rank is gone after two
///            iterations with gamma w = 1/2.
/// Source     Vogels, Karimireddy, Jaggi 2020 (arXiv:2008.01425), Algorithm 1 with warm start, one power
///            iteration a round.
/// Departs    sums of Gram-Schmidt in double; if a column of D vanishes, its direction stays, made orthogonal
///            to the others.
template <class Scalar>
class PowerGossip final : public Algorithm<Scalar> {
 public:
  explicit PowerGossip(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  std::uint64_t traffic_period() const override { return 2; }

 private:
  /// The directions of an edge on each side, of all matrices in order, each column by column.
  struct Directions {
    Vector<Scalar> right;  ///< rank x (columns of the matrix)
    Vector<Scalar> left;   ///< rank x (rows)
  };
  static bool is_matrix(const Segment& layer) { return layer.rows > 1 && layer.columns > 1; }
  Index rank_of(const Segment& layer) const;
  std::size_t scalars(bool from_the_right) const;
  void project(const Directions& directions, bool from_the_right, std::span<Scalar> into) const;
  void approach(Directions& directions, bool from_the_right, std::span<const Scalar> difference,
                Scalar factor);

  SegmentTable layers_;
  Index rank_;
  double consensus_step_;  // gamma
  Vector<Scalar> x_;
  std::vector<PeerId> neighbors_;
  std::vector<Directions> directions_;  // by neighbor
  std::vector<PacketRef> said_;         // by neighbor, the packets of this iteration
  Vector<Scalar> difference_;           // D of one edge
  std::vector<Scalar> before_;          // the directions that D is about to replace
  LocalSteps<Scalar> local_;
};

MethodInfo power_gossip_info();

}  // namespace hearsay
