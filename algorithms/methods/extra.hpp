#pragma once

#include "algorithms/methods/parts/mixing_by_pieces.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// EXTRA: gossip without the bias of heterogeneous data. The models are sent while the gradient is computed.
///
///   publish    send x_i to every neighbor
///   gradient   g_i = grad F_i(x_i; xi_i)
///   mix        v_i = sum_j w_ij (x_j - x_i)
///   step       psi_i' = x_i - eta g_i
///   correct    x_i <- psi_i' + (x_i - psi_i) + v_i - v_i before / 2;   psi_i <- psi_i'
///
/// Before the first iteration psi_i = x_i, and v_i before is 0. This is x_i <- x_i + (W x)_i - (x_i + (W x)_i
/// of the last iteration) / 2 - eta g_i + eta g_i of the last iteration, the first time x_i <- (W x)_i - eta
/// g_i.
///
/// Sends      deg messages of 4d bytes (8d in double) per iteration, one sequential message time.
/// Shapes     x, psi, v, v before and g in R^d: memory 5 d.
/// Needs      W symmetric and static, with eigenvalues above -1; eta below (1 + lambda_n)/L, where nids
///            takes 2/L.
/// Invariant  the mean of the models moves by -eta times the mean gradient. The fixed points with full
///            gradients are the optimum.
/// Source     Shi, Ling, Wu, Yin 2015 (arXiv:1404.6264), Algorithm 1 with (I + W)/2.
/// Departs    edge differences; psi kept instead of the last model and gradient; eta_{t-1} g of the last
///            iteration is carried, if eta changes.
template <class Scalar>
class Extra final : public Algorithm<Scalar> {
 public:
  explicit Extra(const MethodInput<Scalar>& input)
      : x_(input.initial),
        stepped_(input.initial),
        pull_(Vector<Scalar>::Zero(input.initial.size())),
        last_pull_(Vector<Scalar>::Zero(input.initial.size())) {}

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool takes_pieces() const override { return true; }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  Vector<Scalar> x_;
  Vector<Scalar> stepped_;  // psi_i
  Vector<Scalar> pull_;     // v_i
  MixingByPieces<Scalar> mixing_;
  Vector<Scalar> last_pull_;  // v_i before
};

MethodInfo extra_info();

}  // namespace hearsay
