#pragma once

#include "algorithms/methods/parts/damped_references.hpp"
#include "algorithms/methods/parts/split_stream.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// C-GT: gradient tracking with compressed messages. It sends two messages per iteration. At a constant step
/// size heterogeneous data cause no bias; with full gradients it converges to the optimum itself.
///
///   trackers   yhat = COMM(y, G), compressed and sent to every neighbor (DampedReferences)
///   step       x_i <- m_i - eta y_i
///   models     xhat = COMM(x, H), compressed and sent to every neighbor
///   gradient   g_i' = grad F_i(x_i; xi_i)                                   (both messages travel)
///   track      y_i <- y_i - gamma sum_j w_ij (yhat_i - yhat_j) + g_i' - g_i;   g_i <- g_i'
///   mix        m_i = x_i - gamma sum_j w_ij (xhat_i - xhat_j)
///
/// The next x_i is the first that needs xhat_j, the next y_i the first that needs yhat_j. So the gradient
/// hides both.
///
/// Start      y_i = g_i = grad F_i(x_0; xi_i), m_i = H = x_0, G = 0.
/// Options    consensus_step gamma, damping a of both references.
/// Sends      2 deg messages of |C| bytes per iteration.
/// Shapes     x, m, y, g, a difference, the newest gradient, and H, xhat_i, xhat_j, G, yhat_i, yhat_j in R^d,
///            H_j and G_j of every neighbor: memory (2 deg + 12) d.
/// Needs      W symmetric doubly stochastic and fixed; C unbiased, or a contraction; full gradients or large
///            batches for convergence beyond a floor. Every message delivered exactly once.
/// Invariant  mean y = mean g, to the rounding of antisymmetric edge terms; the mean of the models moves by
///            -eta mean y; H_j and G_j equal their owners', bit for bit.
/// Source     Liao, Li, Huang, Pu 2022 (arXiv:2103.13748), Algorithm 1.
/// Departs    the models of the next iteration are sent in this one, as soon as they are known: all vectors
///            are the same, and so are the random numbers of C, which yhat draws behind the xhat of its own
///            iteration. The first xhat, of x_0, says nothing and is not sent. One replica per neighbor and
///            edge differences in place of H_w = W H, which drifts; H starts at the common x_0.
template <class Scalar>
class CGt final : public Algorithm<Scalar> {
 public:
  explicit CGt(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  std::unique_ptr<Compressor<Scalar>> compressor_;
  double consensus_step_;  // gamma
  Vector<Scalar> x_;
  Vector<Scalar> tracker_;             // y_i
  Vector<Scalar> gradient_;            // g_i
  DampedReferences<Scalar> models_;    // H
  DampedReferences<Scalar> trackers_;  // G
  Vector<Scalar> mixed_;               // m_i
  Vector<Scalar> difference_;
  SplitStream<Scalar> random_;  // of xhat, and of the yhat that follows
};

MethodInfo c_gt_info();

}  // namespace hearsay
