#pragma once

#include "algorithms/methods/parts/mixing_by_pieces.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// DecentLaM: momentum SGD on the penalized function that D-PSGD minimises, so that mixing is a part of the
/// gradient. Plain local momentum amplifies the bias of heterogeneous data by 1/(1 - beta)^2; DecentLaM does
/// not amplify it.
///
///   gradient   g_i = grad F_i(x_i; xi_i)
///   mix        gt_i = (x_i - sum_j w_ij (x_j - eta g_j)) / eta
///   momentum   m_i <- beta m_i + gt_i                                     m_i = 0 before the first iteration
///   step       x_i <- x_i - eta m_i
///
/// Options    momentum beta, 0.9 unless set; with 0 it is D-PSGD, adapt then combine.
/// Sends      deg messages of d scalars per iteration, after the gradient.
/// Shapes     x, m, x - eta g, a mixed copy and g in R^d: memory 5 d.
/// Needs      W symmetric, without eigenvalues below 0, and the same in every round, since m holds the pull
///            of all rounds before. On a quadratic, gt is (I - W (I - eta H)) x / eta. If W = V V with V
///            symmetric, W (I - eta H) has the eigenvalues of V (I - eta H) V, which are real. Those of an
///            indefinite W may be complex, and momentum then makes the models grow.
/// Invariant  the limit with full gradients is that of D-PSGD, adapt then combine, whatever beta; the mean of
///            the m_i is the heavy-ball momentum of the mean gradients.
/// Source     Yuan, Chen, Huang, Zhang, Pan, Xu, Yin 2021 (arXiv:2104.11981), Algorithm 2, with W positive
///            definite.
/// Departs    edge-difference form: gt_i = g_i - sum_j w_ij ((x_j - eta g_j) - (x_i - eta g_i)) / eta, which
///            does not cancel.
template <class Scalar>
class DecentLam final : public Algorithm<Scalar> {
 public:
  explicit DecentLam(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool takes_pieces() const override { return true; }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  Scalar momentum_;  // beta
  Vector<Scalar> x_;
  Vector<Scalar> memory_;   // m_i
  Vector<Scalar> stepped_;  // x_i - eta g_i
  Vector<Scalar> mixed_;
  MixingByPieces<Scalar> mixing_;
};

MethodInfo decentlam_info();

}  // namespace hearsay
