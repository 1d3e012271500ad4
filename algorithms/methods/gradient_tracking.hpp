#pragma once

#include "algorithms/methods/parts/mixing_by_pieces.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// Gradient tracking (DIGing, DSGT): every peer follows the mean gradient of all peers by gossip, and steps
/// along it.
///
///   publish    send y_i to every neighbor (it travels while the gradient is computed)
///   gradient   g_i' = grad F_i(x_i; xi_i)
///   track      y_i <- sum_j w_ij y_j + g_i' - g_i;   g_i <- g_i'    y_i = g_i = 0 before the first iteration
///   step, mix  x_i <- sum_j w_ij (x_j - eta y_j)                    adapt then combine, a message of its own
///
/// No gradient hides the second message: it holds g_i', by y_i, and the next gradient is taken where it
/// leads.
///
/// Sends      2 deg messages of d scalars per iteration, the first of them beside the gradient.
/// Shapes     x, y, the last gradient, a mixed copy and g in R^d: memory 5 d.
/// Needs      each round's W doubly stochastic, the union of a few consecutive rounds connected; eta below
///            about gap^2 / L.
/// Invariant  mean_i y_i = mean_i g_i, whatever the rounds; the mean of the models moves by -eta times that;
///            a point that stays is the optimum of sum_i f_i, the same at all peers.
/// Source     Pu, Nedic 2020 (DSGT, arXiv:1805.11454), Algorithm 1, adapt then combine in x; Nedic,
///            Olshevsky, Shi 2017 (DIGing, arXiv:1607.03218), Algorithm 1, for rounds that vary, combine then
///            adapt.
/// Departs    an iteration begins with the tracker instead of ending with it. So it asks for one gradient,
///            and y_0 = g_0 needs no case of its own: the first messages are zeros. If W varies, y is mixed
///            in the round after its own. Edge-difference form of both mixings; the change of the gradient is
///            added as g' + (W y - g), which leaves a lone peer with its gradient, bit for bit.
template <class Scalar>
class GradientTracking final : public Algorithm<Scalar> {
 public:
  explicit GradientTracking(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool takes_pieces() const override { return true; }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  Vector<Scalar> x_;
  Vector<Scalar> tracker_;        // y_i
  Vector<Scalar> last_gradient_;  // g_i
  Vector<Scalar> mixed_;
  MixingByPieces<Scalar> mixing_;
};

MethodInfo gradient_tracking_info();

}  // namespace hearsay
