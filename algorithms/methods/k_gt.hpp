#pragma once

#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// K-GT: local steps that are corrected by gradient tracking, so that heterogeneous data cause no bias.
///
///   models     send x_i to every neighbor
///   inner      D_i = 0;  H times: g_i = grad F_i(x_i + D_i; xi_i);  D_i <- D_i - eta (g_i + c_i)
///              (x_i travels)
///   drifts     send D_i to every neighbor;  z_i = -D_i / (H eta)      the mean corrected gradient
///   correct    c_i <- c_i - z_i + sum_j w_ij z_j                      c_i = 0 before the first iteration
///   mix        x_i <- sum_j w_ij (x_j + rho D_j)
///
/// The next steps begin where D_j leads, so no gradient hides the drifts.
///
/// Sends      2 deg messages of 4d bytes (8d in double) per iteration. An iteration is a round of H steps.
/// Options    local_steps = H, each on its own minibatch; outer = "none(rho)", rho being the paper's eta_s.
/// Shapes     x, D, c, the point x + D (then a D_j), a mixed copy and g in R^d: memory 6 d.
/// Needs      W doubly stochastic, of any round.
/// Invariant  sum_i c_i = 0, so the mean of the models moves by -eta rho times the sum of the mean gradients
///            of the steps. The fixed points with full gradients are the optimum, whatever the data and H.
///            With H = 1 and rho = 1 it is gradient tracking.
/// Source     Liu, Lin, Koloskova, Stich 2023 (arXiv:2301.01313), Algorithm 1.
/// Departs    edge differences in both sums; the drift D_i is kept instead of the local model. The paper
///            sends x_i + rho D_i and z_i after the steps; receivers make these of x_i and D_i, bit for bit.
template <class Scalar>
class KGt final : public Algorithm<Scalar> {
 public:
  explicit KGt(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  CodecStatus mix_with(const PacketRef& model, const PacketRef& drift, Scalar steps_size, double weight);

  std::uint64_t local_steps_;  // H
  double rate_;                // rho
  Vector<Scalar> x_;
  Vector<Scalar> correction_;  // c_i
  Vector<Scalar> drift_;       // D_i, then z_i
  Vector<Scalar> point_;       // x_i + D_i, then D_j of a neighbor
  Vector<Scalar> mixed_;
  std::vector<PacketRef> told_;  // x_j, while the drifts are awaited
};

MethodInfo k_gt_info();

}  // namespace hearsay
