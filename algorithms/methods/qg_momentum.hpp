#pragma once

#include "algorithms/methods/parts/mixing_by_pieces.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// QG-DSGDm-N: gossip with quasi-global momentum. The momentum accumulates the changes of the *mixed* model
/// instead of the peer's own gradients, so it does not drive peers with heterogeneous data apart.
///
///   gradient   g_i = grad F_i(x_i; xi_i)
///   momentum   l_i = beta m_i + g_i                                       m_i = 0 before the first iteration
///   step       h_i = x_i - eta (g_i + beta l_i)                           Nesterov's
///   mix        x_i' = sum_j w_ij h_j
///   remember   m_i <- mu m_i + (1 - mu) (x_i - x_i') / eta;   x_i <- x_i'            mu = 0.9
///
/// Options    momentum beta, 0.9 unless set; with 0 it is D-PSGD, adapt then combine.
/// Sends      deg messages of d scalars per iteration, after the gradient.
/// Shapes     x, m, the direction g + beta l, a mixed copy and g in R^d: memory 5 d.
/// Needs      each round's W doubly stochastic; of a static one the smallest eigenvalue above -0.9: the
///            consensus mode of an eigenvalue l is stable for l > -(1 + mu) / (1 + mu + 2 (1 - mu) beta^2),
///            at least -0.905.
/// Invariant  W = J and a common start make all m_i equal. A change of eta needs no rescaling: the move is
///            divided by the eta that made it.
/// Source     Lin, Karimireddy, Stich, Jaggi 2021 (arXiv:2102.04761), Algorithm 1, with the Nesterov step of
///            their experiments (-N).
/// Departs    edge-difference form of the mixing, and (x - x') / eta is taken as the direction plus
///            (h - x') / eta, which does not cancel.
template <class Scalar>
class QgMomentum final : public Algorithm<Scalar> {
 public:
  explicit QgMomentum(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool takes_pieces() const override { return true; }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  Scalar momentum_;  // beta
  Vector<Scalar> x_;
  Vector<Scalar> memory_;     // m_i
  Vector<Scalar> direction_;  // g_i + beta l_i
  Vector<Scalar> mixed_;
  MixingByPieces<Scalar> mixing_;
};

MethodInfo qg_momentum_info();

}  // namespace hearsay
