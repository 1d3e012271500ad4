#pragma once

#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/ring_sum.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"

namespace hearsay {

namespace option {
extern const CountOption fragments;
extern const CountOption overlap;
extern const NumberOption own_share;
}  // namespace option

/// Streaming DiLoCo: DiLoCo, one fragment of the model after the other, each summed while local steps go on.
///
///   layout   F fragments of coordinates, S = H/F steps to each; 0 <= tau < S; 0 <= alpha <= 1
///   state    x the common model, x_i the own one, m; x_i = x, m = 0 at first
///   round    for h = 1 ... H:
///     inner    g_i = grad F_i(x_i; xi_i);  x_i <- x_i - eta g_i
///     with fragment p = floor((h-1) / S) and k = (h-1) mod S + 1:
///     start    k = S - tau:  D_i = x_p - x_i,p sets out round the ring
///     pass on  k > S - tau:  take and pass on the hops that are due
///     merge    k = S:        D = (1/n) sum_j D_j;  m_p, x_p by the outer rule;
///                            x_i,p <- (1 - alpha) x_p + alpha x_i,p
///
/// Sends      F times 2(n-1) messages of 4d/(nF) bytes (8d/(nF) in double) per iteration, to the peer with
///            the next id, whatever the mixing graph: the bytes of DiLoCo, an F-th of them at a time. Of the
///            2(n-1) hops the first floor(2(n-1) j / tau) are done j steps after the start. With
///            tau >= 2(n-1) each has a whole step's time to arrive; with less, hops of one step wait for each
///            other. With tau = 0 nothing overlaps.
/// Options    optimizer, the local step rule; local_steps = H; fragments = F, which divides H; overlap = tau;
///            own_share = alpha; outer, the outer rule (OuterRule).
/// Shapes     x, x_i, g in R^d, m with momentum, a fragment's sum: memory 4 d, d/F, and what the
///            optimizer needs. The model that is evaluated is x.
/// Needs      nothing of W. No compressor.
/// Invariant  all x are equal, bit for bit, after every iteration. With F = 1, tau = 0, alpha = 0 it is
///            DiLoCo; with alpha = 1 the x_i are n independent optimizers, bit for bit.
/// Source     Douillard et al. 2025 (arXiv:2501.18512), Algorithm 2.
/// Departs    fragments are runs of coordinates of one size, there whole layers, every F-th of them. Messages
///            set out and are passed on between two local steps, never during one. The defaults: there
///            alpha = 0.5, H = 30 to 100, tau = 5 and an outer step size rho = 0.4; here alpha = 0, H = 12,
///            tau = 1 and rho = 0.7. On a9a keeping a share of the own model undoes the gain of the outer
///            momentum (tests/convergence/local_steps_training_test.cpp).
template <class Scalar>
class StreamingDiloco final : public Algorithm<Scalar> {
 public:
  explicit StreamingDiloco(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  Index begin_of(std::uint64_t fragment) const {
    return static_cast<Index>(fragment) * x_.size() / static_cast<Index>(fragments_);
  }
  Index size_of(std::uint64_t fragment) const { return begin_of(fragment + 1) - begin_of(fragment); }
  std::span<Scalar> sum_of(std::uint64_t fragment) {
    return view(sum_).first(static_cast<std::size_t>(size_of(fragment)));
  }
  void step(const Vector<Scalar>& gradient, Scalar step_size);
  void start(std::uint64_t fragment);
  void merge(std::uint64_t fragment, Scalar step_size);

  PeerId peer_count_;
  std::uint64_t local_steps_;  // H
  std::uint64_t fragments_;    // F
  std::uint64_t overlap_;      // tau
  double own_share_;           // alpha
  RingSum ring_;
  Vector<Scalar> x_;
  Vector<Scalar> own_;  // x_i
  std::unique_ptr<LocalOptimizer<Scalar>> optimizer_;
  Vector<Scalar> step_;  // of the optimizer; empty for sgd
  OuterStep<Scalar> outer_;
  Vector<Scalar> sum_;  // D of the fragment that travels
};

MethodInfo streaming_diloco_info();

}  // namespace hearsay
