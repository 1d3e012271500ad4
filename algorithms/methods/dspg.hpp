#pragma once

#include "algorithms/methods/parts/mixing_by_pieces.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// DSPG: decentralized stochastic proximal gradient, the baseline of DPSVRG. Minimises (1/n) sum_i f_i + h.
///
///   gradient   g_i = grad f_i(x_i; xi_i)
///   step       q_i = x_i - eta_t g_i
///   mix        q_i <- sum_j w_ij q_j
///   prox       x_i <- prox_{eta_t h}(q_i)
///
/// Sends      deg messages of d scalars per iteration, after the gradient.
/// Shapes     x, q, g and a mixed copy in R^d: memory 4 d.
/// Needs      W doubly stochastic, of any round; eta_t falling (step_schedule = "inverse-sqrt"): with a
///            constant step the noise of the gradients leaves a floor; no compressor.
/// Invariant  mixing keeps mean_i q_i; zeros of the proximal map stay zeros, since no mixing follows it.
/// Source     Li, Xu, Wang, Wang, Lui 2021 (arXiv:2112.10389), the baseline DSPG; its order of steps is
///            reconstructed from the abstract, since the paper's text is not available to us.
/// Departs    edge-difference form of the mixing.
template <class Scalar>
class Dspg final : public Algorithm<Scalar> {
 public:
  explicit Dspg(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool takes_pieces() const override { return true; }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  const Regularizer<Scalar>* regularizer_;  // h
  Vector<Scalar> x_;
  Vector<Scalar> step_;  // q_i
  Vector<Scalar> mixed_;
  MixingByPieces<Scalar> mixing_;
};

MethodInfo dspg_info();

}  // namespace hearsay
