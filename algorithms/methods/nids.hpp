#pragma once

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// NIDS: exact diffusion with W averaged with the identity, and a first step that is not mixed. Its step size
/// does not depend on W.
///
///   gradient   g_i = grad F_i(x_i; xi_i)
///   step       psi_i' = x_i - eta g_i
///   correct    phi_i = psi_i' + x_i - psi_i;   psi_i <- psi_i'
///   mix        x_i <- phi_i + (1/2) sum_j w_ij (phi_j - phi_i)
///
/// Before the first iteration psi_i = x_i. The first iteration does not mix: x_i <- phi_i.
///
/// Sends      deg messages of 4d bytes (8d in double) per iteration, after the gradient; in the first one,
///            too, though nobody mixes them, so that all iterations are alike.
/// Shapes     x, psi, phi and g in R^d: memory 4 d.
/// Needs      W symmetric and static, with eigenvalues above -1; eta below 2/L, whatever W.
/// Invariant  the mean of the models moves by -eta times the mean gradient. The fixed points with full
///            gradients are the optimum. From the second iteration on it is the recursion of d2 with
///            (I + W)/2.
/// Source     Li, Shi, Yan 2019 (arXiv:1704.07807), Algorithm 1 without a non-smooth term and with equal
///            steps.
/// Departs    edge-difference form, psi kept instead of the last model and gradient; eta_{t-1} g of the last
///            iteration is carried, if eta changes.
template <class Scalar>
class Nids final : public Algorithm<Scalar> {
 public:
  explicit Nids(const MethodInput<Scalar>& input)
      : x_(input.initial), stepped_(input.initial), corrected_(input.initial.size()) {}

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  Vector<Scalar> x_;
  Vector<Scalar> stepped_;    // psi_i
  Vector<Scalar> corrected_;  // phi_i
};

MethodInfo nids_info();

}  // namespace hearsay
