#pragma once

#include "algorithms/methods/parts/damped_references.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// CEDAS: compressed exact diffusion, with one compressed message per iteration. At a constant step size
/// heterogeneous data cause no bias; with full gradients it converges to the optimum itself.
///
///   gradient   g_i = grad F_i(x_i; xi_i)
///   try        y_i = x_i - eta g_i - D_i
///   compress   q_i = C(y_i - H_i), encoded once, sent to every neighbor;
///              yhat_j = H_j + q_j, for i itself, too
///   dual       D_i <- D_i + (gamma/2) sum_j w_ij (yhat_i - yhat_j)
///   reference  H_j <- H_j + a q_j, for every neighbor j and for i itself
///   step       x_i <- x_i - eta g_i - D_i
///
/// Options    consensus_step gamma, damping a: 0.3 each for 2-bit codecs; both smaller for rougher ones.
/// Sends      deg messages of |C| bytes per iteration, after the gradient.
/// Shapes     x, D, H, yhat_i, yhat_j, x - eta g, a difference and g in R^d, one H_j per neighbor: memory
///            (deg + 8) d.
/// Needs      W symmetric doubly stochastic and fixed; C unbiased, or a contraction that keeps well over half
///            of its input, with damping near 1. Every message delivered exactly once.
/// Invariant  sum_i D_i = 0, to the rounding of edge terms that are exactly antisymmetric; so the mean of the
///            models moves by -eta times the mean gradient; H_j = its owner's H, bit for bit.
/// Source     Huang, Pu 2023 (arXiv:2301.05872), Algorithm 1. With D scaled by eta it is LEAD (Liu, Li, Wang,
///            Tang, Yan 2021, arXiv:2007.00232, Algorithm 1): the same iterates at a constant step size,
///            hence the alias `lead`.
/// Departs    one replica H_j per neighbor and edge differences in place of H_w = W H, which drifts in float
///            and then diverges on badly conditioned data; H starts at the common x_0; defaults a = gamma =
///            0.3 (with one positive level, `bits=2`, the paper's 0.5 and 1 diverge on a9a; with the two that
///            LEAD's 2 bits have, `levels=2`, they end at the optimum: bias_training_test.cpp).
template <class Scalar>
class Cedas final : public Algorithm<Scalar> {
 public:
  explicit Cedas(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  std::unique_ptr<Compressor<Scalar>> compressor_;
  double consensus_step_;  // gamma
  Vector<Scalar> x_;
  Vector<Scalar> dual_;                  // D_i
  DampedReferences<Scalar> references_;  // H_i, H_j, yhat_i, yhat_j
  Vector<Scalar> stepped_;               // x_i - eta g_i
  Vector<Scalar> difference_;            // y_i - H_i
};

MethodInfo cedas_info();

}  // namespace hearsay
