#pragma once

#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"

namespace hearsay {

namespace option {
extern const TextOption mixes;
}  // namespace option

/// GASLoC: local steps, gossip in the place of an all-reduce, and DiLoCo's outer momentum without a common
/// model.
///
///   inner      y_i = x_i;  H times: g_i = grad F_i(y_i; xi_i);  y_i <- y_i - eta g_i
///   outer      u_i = x_i + rho (y_i - x_i)
///   momentum   v_i = u_i + beta (u_i - u_i before)
///   gossip     send v_i to every neighbor;  x_i <- v_i + gamma sum_j w_ij (v_j - v_i)
///
/// That is mixes = "momentum", the default. With mixes = "models", as published, the momentum is each peer's
/// own:
///
///   gossip     send u_i to every neighbor;  x_i <- u_i + gamma sum_j w_ij (u_j - u_i)
///   momentum   x_i <- x_i + beta (u_i - u_i before)
///
/// u_i "before" is x_0 at first.
///
/// Sends      deg messages of 4d bytes (8d in double) per iteration. An iteration is a round of H steps.
/// Options    optimizer, local_steps = H: see LocalSteps; outer = "nesterov(rho, beta)", or "none(rho)" for
///            beta = 0 (none(1): local SGD by gossip); consensus_step = gamma; mixes, above.
/// Shapes     x, y, u, u before, g in R^d: memory 6 d, with the vector that is mixed.
/// Needs      W doubly stochastic. Along an eigenvalue l of (1 - gamma) I + gamma W, gossip alone is stable
///            if l > -1 / (1 + 2 beta) ("momentum"), l > -1 - 2 beta ("models"): outer_gossip_limit.hpp, for
///            random matchings, too. With beta = 0.9 pairs must not average in full.
/// Invariant  the mean of the models moves as DiLoCo's model with the mean of the y_i - x_i, whatever W, in
///            either. On the complete graph with gamma = 1 "momentum" is diloco with nesterov(rho, beta).
/// Source     Cagnasso, Belilovsky, Oyallon 2026 (arXiv:2606.11081): the published form, which we know from a
///            secondary source.
/// Departs    the default is ours. On the complete graph the published form is not DiLoCo: its momentum
///            keeps the u_i apart for ever. Edge differences; the consensus step is CHOCO's.
template <class Scalar>
class GasLoc final : public Algorithm<Scalar> {
 public:
  explicit GasLoc(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  double consensus_step_;  // gamma
  bool mixes_momentum_;
  OuterRule outer_;
  Vector<Scalar> x_;
  Vector<Scalar> moved_;   // u_i
  Vector<Scalar> before_;  // u_i of the iteration before
  Vector<Scalar> sent_;    // v_i, or u_i
  LocalSteps<Scalar> local_;
};

MethodInfo gas_loc_info();

}  // namespace hearsay
