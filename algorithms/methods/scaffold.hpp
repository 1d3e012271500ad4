#pragma once

#include "algorithms/methods/parts/controls.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// SCAFFOLD: a hub, and local steps that are corrected by control variates, against client drift.
///
///   down    hub -> i in S_t:   x, c                               (t = 1: an empty message; c = 0)
///   local   y_i = x;  H times: y_i <- y_i - eta (g_i(y_i) - c_i + c)
///   up      i -> hub:          y_i - x
///   follow  i:                 c_i <- c_i - c + (x - y_i) / (H eta)
///   step    hub:               c <- c + (1/n) sum_{S} (-c + (x - y_i) / (H eta))
///                              x <- x + (rho/r) sum_{S} (y_i - x)
///
/// The hub is peer 0, and a worker, too, if it has data. c_i = c = 0 at first. Controls has the updates of c
/// and the c_i, also on a tree and if workers are lost for good. On a tree the hub steps by (rho/n) times the
/// sum.
///
/// Sends      hub: r messages of 8d bytes (16d in double); worker: one of 4d; a head 8 more (16)
///            if workers may sit out.
/// Options    local_steps = H, by sgd; outer = none(rho), the hub's step.
/// Shapes     x, c, c_i, y, y - x, g in R^d: memory worker 6 d; hub and heads besides the sum 7 d. Under
///            the policy "drop" the hub has a d more for each other worker.
/// Needs      a star around peer 0, or a tree of two levels below it. No compressor. Any
///            worker may be absent: its c_i stays.
/// Invariant  mean_i c_i = c, to rounding. With H = 1, rho = 1 and all workers it is gradient descent.
///            On a tree every step of all workers is that of the star, to rounding.
/// Source     Karimireddy et al. 2020 (arXiv:1910.06378), Algorithm 1, option II.
/// Departs    the paper also sends c_i' - c_i, which the hub can compute from y_i - x and the c that it sent.
template <class Scalar>
class Scaffold final : public Algorithm<Scalar> {
 public:
  explicit Scaffold(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  std::uint64_t local_steps_;
  Scalar server_step_;  // rho
  Vector<Scalar> x_;
  Controls<Scalar> controls_;  // c, c_i
  Vector<Scalar> point_;       // y_i
  Vector<Scalar> change_;      // y_i - x; then, of the hub, their sum
};

MethodInfo scaffold_info();

}  // namespace hearsay
