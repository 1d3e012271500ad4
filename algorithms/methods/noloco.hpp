#pragma once

#include <vector>

#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// NoLoCo: local steps and an outer momentum at every peer, which is pulled towards the models it hears. No
/// all-reduce: in a round of random pairs a peer talks to one other.
///
///   models    send x_i to every neighbor of the round
///   inner     y_i = x_i;  H times: g_i = grad F_i(y_i; xi_i);  y_i <- y_i - eta g_i;   D_i = y_i - x_i
///             (x_i travels)
///   drifts    send D_i to every neighbor of the round
///   mean      X = sum_j w_ij x_j,  D = sum_j w_ij D_j;                        a pair: the two means
///   outer     m_i <- beta m_i + rho D + gamma (X - x_i);   x_i <- x_i + m_i
///
/// The next steps begin where D leads, so no gradient hides D_i.
///
/// Sends      two messages of 4d bytes (8d in double) to every neighbor of the round, of which there is one
///            with a schedule of matchings. An iteration is a round of H steps.
/// Options    optimizer, local_steps = H: see LocalSteps; outer = "heavy-ball(rho, beta)", or "none(rho)" for
///            beta = 0; consensus_step = gamma, which is rho in the authors' runs.
/// Shapes     x, y, m, D, g in R^d: memory 5 d.
/// Needs      W doubly stochastic. Random pairs of n peers are stable if gamma is below a limit that falls
///            with beta (outer_gossip_limit.hpp): 1.5 for beta = 0.5, 0.38 for beta = 0.9 and many peers.
/// Invariant  the mean of the models obeys heavy ball on the mean of the D_i, for every W. With beta = 0,
///            gamma = rho = 1 and a matching x_i becomes the mean of the pair's y.
/// Source     Kolehmainen, Blagoev, Donaghy, Ersoy, Nies 2025 (arXiv:2506.10911), with the authors' code
///            where the two differ: heavy ball, not Nesterov.
/// Departs    a round may be any row of W. The paper's is a random matching of all peers; ours of
///            topology.schedule = "random-matchings" is a random color of an edge coloring, which may leave
///            peers out: an eighth on average for the complete graph of 8. "hypercube-matchings" pairs all.
template <class Scalar>
class NoLoCo final : public Algorithm<Scalar> {
 public:
  explicit NoLoCo(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  double consensus_step_;  // gamma
  OuterRule outer_;
  Vector<Scalar> x_;
  Vector<Scalar> momentum_;      // m_i
  Vector<Scalar> drift_;         // D_i
  std::vector<PacketRef> told_;  // x_j, while the drifts are awaited
  LocalSteps<Scalar> local_;
};

MethodInfo noloco_info();

}  // namespace hearsay
