#pragma once

#include "algorithms/methods/parts/mixing_by_pieces.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// LED: local exact diffusion. Local steps that are corrected by a dual variable, so that heterogeneous data
/// cause no bias, with one message a round.
///
///   inner      H times: g_i = grad F_i(x_i; xi_i);  x_i <- x_i - eta g_i - beta l_i
///   exchange   send x_i to every neighbor
///   dual       l_i <- l_i + x_i - sum_j w_ij x_j                      l_i = 0 before the first iteration
///   mix        x_i <- sum_j w_ij x_j
///
/// Sends      deg messages of 4d bytes (8d in double) per iteration. An iteration is a round of H steps.
/// Options    local_steps = H, each on its own minibatch; consensus_step = beta, at most 1/H or so.
/// Shapes     x, l, the sum of the differences and g in R^d: memory 4 d.
/// Needs      W symmetric, static, without eigenvalues below 0 (topology.weights = "lazy").
/// Invariant  sum_i l_i = 0, so the mean of the models moves by -eta times the sum of the mean gradients of
///            the steps. The fixed points with full gradients are the optimum, whatever the data and H. With
///            H = 1 and beta = 1 it is exact diffusion (d2).
/// Source     Alghunaim 2024, "Local Exact-Diffusion for Decentralized Optimization and Learning"
///            (arXiv:2302.00620).
/// Departs    edge differences in both sums. In the paper the dual step is a multiple of the local one; here
///            beta is independent of it.
template <class Scalar>
class Led final : public Algorithm<Scalar> {
 public:
  explicit Led(const MethodInput<Scalar>& input)
      : local_steps_(input.options[option::local_steps]),
        dual_step_(input.options[option::consensus_step]),
        x_(input.initial),
        dual_(Vector<Scalar>::Zero(input.initial.size())),
        differences_(input.initial.size()) {}

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool takes_pieces() const override { return true; }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  std::uint64_t local_steps_;  // H
  double dual_step_;           // beta
  Vector<Scalar> x_;
  Vector<Scalar> dual_;  // l_i
  Vector<Scalar> differences_;
  MixingByPieces<Scalar> mixing_;
};

MethodInfo led_info();

}  // namespace hearsay
