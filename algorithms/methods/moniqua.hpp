#pragma once

#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// Moniqua: gossip on models that are quantized modulo a range. The models of neighbors differ little, so a
/// receiver decodes the remainder with its own model: the value meant is the nearest one. It needs no
/// replicas, no error memory and no scales.
///
///   publish    q_i = C(x_i), its codes modulo k only, sent to every neighbor (it travels while the gradient
///              is computed)
///   gradient   g_i = grad F_i(x_i; xi_i)
///   recover    xt_j = the value near x_i that q_j stands for, for every neighbor j;  xt_i likewise, from q_i
///   consensus  x_i <- x_i + gamma sum_j w_ij (xt_j - xt_i) - eta g_i
///
/// With order = "adapt-then-combine", the default for H > 1 local steps, x_i <- x_i - eta g_i comes before
/// "publish", and "consensus" is x_i <- x_i + gamma sum_j w_ij (xt_j - xt_i).
///
/// Options    consensus_step gamma: 1 for fine grids; the coarser the grid, the smaller; optimizer,
///            local_steps: see LocalSteps; order, above.
/// Sends      deg messages of |C| bytes per iteration: log2 k bits a coordinate with C = mod(k, step). One
///            bit with mod(2, step, nearest), which is biased and wants a small gamma.
/// Shapes     x, xt_i, xt_j, the mixed model and g in R^d: memory 5 d, whatever the degree.
/// Needs      W doubly stochastic, of any round; |x_i - x_j| <= theta = step (k - 2) / 2 in every coordinate
///            and at any time between neighbors (after the local steps, if those come first); with nearest
///            rounding theta = step (k - 1) / 2. If that fails, a checksum in the message shows it, and the
///            run has diverged.
/// Invariant  xt_j is the same at all receivers, bit for bit, so consensus keeps the mean of the models.
/// Source     Lu, De Sa 2020 (arXiv:2002.11787), Algorithm 1 (with a slack matrix (1 - gamma) I + gamma W).
/// Departs    random rounding to a grid of the model's own units instead of a share of theta, edge
///            differences, the checksum.
template <class Scalar>
class Moniqua final : public Algorithm<Scalar> {
 public:
  explicit Moniqua(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  PacketRef quantized(Iteration<Scalar>& it);

  std::unique_ptr<Compressor<Scalar>> compressor_;
  double consensus_step_;  // gamma
  bool adapts_first_;
  Vector<Scalar> x_;
  Vector<Scalar> own_recovered_;  // xt_i
  Vector<Scalar> recovered_;      // xt_j
  Vector<Scalar> mixed_;
  LocalSteps<Scalar> local_;
};

MethodInfo moniqua_info();

}  // namespace hearsay
