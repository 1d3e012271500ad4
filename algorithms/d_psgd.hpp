#pragma once

#include "algorithms/local_steps.hpp"
#include "algorithms/method.hpp"

namespace hearsay {

/// D-PSGD: decentralized parallel SGD, full-precision gossip.
///
///   publish    send x_i to every neighbor (it travels while the gradient is computed)
///   gradient   g_i = grad F_i(x_i; xi_i)
///   mix, step  x_i <- x_i + sum_j w_ij (x_j - x_i) - eta g_i        j over the neighbors that i hears
///
/// Sends      deg messages of 4d bytes (8d in double) per iteration, one sequential message time.
/// Options    optimizer, a local step rule instead of -eta g; local_steps = H: H of them, each on its own minibatch.
/// Shapes     x, the mixed model, g in R^d; memory 3d, d more for other optimizers and their state, 2d more for H > 1.
/// Needs      W doubly stochastic with spectral gap > 0. Negative weights and time-varying rows are fine.
/// Invariant  the mean of the models moves by -eta times the mean gradient, nothing else; equal models with a zero
///            gradient stay, bit for bit (edge-difference form).
/// Source     Lian, Zhang, Zhang, Hsieh, Zhang, Liu 2017 (arXiv:1705.09056), Algorithm 1: combine-then-adapt, the
///            gradient is taken at x_i before mixing.
/// Departs    the sum is written over edge differences; equal to sum_j w_ij x_j because rows sum to 1.
template <class Scalar>
class DPsgd final : public Algorithm<Scalar> {
 public:
  explicit DPsgd(const MethodInput<Scalar>& input)
      : x_(input.initial), mixed_(input.initial.size()), local_(input) {}

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  Vector<Scalar> x_;
  Vector<Scalar> mixed_;
  LocalSteps<Scalar> local_;
};

MethodInfo d_psgd_info();

}  // namespace hearsay
