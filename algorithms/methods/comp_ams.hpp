#pragma once

#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/parts/owed_error.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// COMP-AMS: a hub; compressed gradients with error feedback, and AMSGrad at the hub.
///
///   down    hub -> i:   x                                           (t = 1: an empty message, all know x_0)
///   up      i -> hub:   c_i = C(g_i(x) + e_i);   e_i <- g_i(x) + e_i - c_i
///   step    hub:        gbar = (1/r) sum_{i in S} c_i;   x by the optimizer, with gbar for the gradient;
///                       amsgrad:  m, v <- running means of gbar, gbar^2;  u <- max(u, v);
///                                 x <- x - eta m / (sqrt(u) + 1e-8)
///
/// The hub is peer 0, and a worker, too, if it has data. e_i = 0 at first.
///
/// Sends      hub: r messages of 4d bytes (8d in double); worker: one of |C| bytes.
/// Options    optimizer, the hub's: any of LocalOptimizer.
/// Shapes     x, g + e and e in one, g in R^d: memory worker 3 d; hub besides the sum, the step and the
///            optimizer's state, amsgrad's 8 d.
/// Needs      a star around peer 0. C contracting. Any worker may be absent: its e_i stays.
/// Invariant  what a worker has sent and e_i together are the sum of its gradients (eta constant). u never
///            falls. With C none it is the optimizer's method on the mean gradient.
/// Source     Li, Karimi, Li 2022 (arXiv:2205.05632), Algorithm 2.
/// Departs    sqrt(u) + 1e-8 where the paper has sqrt(u + eps); amsgrad's m and v are not corrected for their
///            bias, in either.
template <class Scalar>
class CompAms final : public Algorithm<Scalar> {
 public:
  explicit CompAms(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  bool is_hub_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  Vector<Scalar> x_;
  OwedError<Scalar> error_;  // e_i; g_i + e_i while it is encoded

  // Of the hub.
  std::unique_ptr<LocalOptimizer<Scalar>> optimizer_;
  Vector<Scalar> mean_;  // gbar
  Vector<Scalar> step_;  // of an optimizer other than sgd
};

MethodInfo comp_ams_info();

}  // namespace hearsay
