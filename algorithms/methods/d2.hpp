#pragma once

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// D^2, also known as exact diffusion: D-PSGD with a correction, which adds the change x - psi that the last
/// iteration's mixing made. So peers with heterogeneous data converge to the common optimum with a constant
/// step.
///
///   gradient   g_i = grad F_i(x_i; xi_i)
///   step       psi_i' = x_i - eta g_i
///   correct    phi_i = psi_i' + x_i - psi_i;   psi_i <- psi_i'     psi_i = x_0 before the first iteration
///   mix        x_i <- phi_i + sum_j w_ij (phi_j - phi_i)           j over the neighbors that i hears
///
/// Sends      deg messages of d scalars per iteration, after the gradient.
/// Shapes     x, psi, phi, g in R^d: memory 4 d.
/// Needs      W symmetric, the same in every round, its smallest eigenvalue above -1/3: the consensus mode of
///            an eigenvalue l follows z^2 - 2 l z + l = 0, with a root below -1 once l < -1/3. An even ring
///            with weights 1/3 stands on that border, a 4 x 4 torus with 1/5 (-0.6) beyond it; weights =
///            "lazy", (I + W)/2, has no negative eigenvalue.
/// Invariant  the mean of the models moves by -eta times the mean gradient; the first iteration is D-PSGD,
///            adapt then combine; a point that stays is the optimum of sum_i f_i, the same at all peers.
/// Source     Tang, Lian, Yan, Zhang, Liu 2018 (arXiv:1803.07068), Algorithm 1: x+ = W (2x - x_- - eta (g -
///            g_-)); in the form of Yuan, Ying, Zhao, Sayed 2019 (exact diffusion, arXiv:1702.05122), steps
///            adapt, correct, combine.
/// Departs    edge-difference form of the mixing. Each eta g carries the step size of its own iteration,
///            which a falling step needs; the papers have a constant one.
template <class Scalar>
class D2 final : public Algorithm<Scalar> {
 public:
  explicit D2(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  Vector<Scalar> x_;
  Vector<Scalar> stepped_;    // psi_i
  Vector<Scalar> corrected_;  // phi_i
};

MethodInfo d2_info();

}  // namespace hearsay
