#pragma once

#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// K-GT: local steps that are corrected by gradient tracking, so that heterogeneous data cause no bias.
///
///   inner      D_i = 0;  H times: g_i = grad F_i(x_i + D_i; xi_i);  D_i <- D_i - eta (g_i + c_i)
///   track      z_i = -D_i / (H eta)                                   the mean corrected gradient
///   exchange   send (x_i + rho D_i, z_i) to every neighbor
///   correct    c_i <- c_i - z_i + sum_j w_ij z_j                      c_i = 0 before the first iteration
///   mix        x_i <- sum_j w_ij (x_j + rho D_j)
///
/// Sends      deg messages of 8d bytes (16d in double) per iteration. An iteration is a round of H steps.
/// Options    local_steps = H, each on its own minibatch; outer = "none(rho)", rho being the paper's eta_s.
/// Shapes     x, D, c, the point x + D, a mixed copy and g in R^d: memory 6 d.
/// Needs      W doubly stochastic, of any round.
/// Invariant  sum_i c_i = 0, so the mean of the models moves by -eta rho times the sum of the mean gradients
///            of the steps. The fixed points with full gradients are the optimum, whatever the data and H.
///            With H = 1 and rho = 1 it is gradient tracking.
/// Source     Liu, Lin, Koloskova, Stich 2023 (arXiv:2301.01313), Algorithm 1.
/// Departs    edge differences in both sums; the drift D_i is kept instead of the local model.
template <class Scalar>
class KGt final : public Algorithm<Scalar> {
 public:
  explicit KGt(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  std::uint64_t local_steps_;  // H
  double rate_;                // rho
  Vector<Scalar> x_;
  Vector<Scalar> correction_;  // c_i
  Vector<Scalar> drift_;       // D_i, then z_i
  Vector<Scalar> point_;       // x_i + D_i; empty if H = 1
  Vector<Scalar> mixed_;
};

MethodInfo k_gt_info();

}  // namespace hearsay
