#pragma once

#include "algorithms/methods/parts/difference_uplink.hpp"
#include "algorithms/methods/parts/owed_error.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"

namespace hearsay {

namespace option {
extern const NumberOption control;
}  // namespace option

/// EControl: a hub; ef21 with a share of the error that is still owed in every message.
///
///   down    hub -> i:   x                                           (t = 1: an empty message, all know x_0)
///   up      i -> hub:   q_i = C(g_i(x) - h_i + kappa e_i);   h_i <- h_i + q_i;
///           i:          e_i <- e_i + g_i(x) - h_i                   (the new h_i)
///   step    hub:        hbar <- hbar + (1/n) sum_{i in S} q_i;   x <- x - eta hbar
///
/// The hub is peer 0, and a worker, too, if it has data. h, e, hbar are 0 at first.
///
/// Sends      hub: r messages of 4d bytes (8d in double); worker: one of |C| bytes.
/// Options    control = kappa.
/// Shapes     x, h, e, what is compressed, g in R^d: memory worker 5 d; hub besides hbar and the sum 7 d.
/// Needs      a star around peer 0. C contracting. Any worker may be absent: its h_i and e_i stay.
/// Invariant  if all take part, x - eta mean_i e_i follows x' <- x' - eta mean_i g_i, whatever C does. With
///            kappa = 0 it is ef21.
/// Source     Gao, Islamov, Stich 2024 (arXiv:2311.05645), Algorithm 2.
/// Departs    h_i = 0 at first, where the paper begins with g_i(x_0). e_i is a gradient, but owed as a part
///            of a step, so it is scaled by eta_{t'} / eta_t, t' the last iteration in which the worker took
///            part.
template <class Scalar>
class Econtrol final : public Algorithm<Scalar> {
 public:
  explicit Econtrol(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  bool is_hub_;
  Scalar control_;  // kappa
  Vector<Scalar> x_;
  DifferenceUplink<Scalar> uplink_;
  OwedError<Scalar> error_;    // e_i
  Vector<Scalar> difference_;  // g_i - h_i + kappa e_i
  Vector<Scalar> sum_;         // of the hub: what `gather` estimates
};

MethodInfo econtrol_info();

}  // namespace hearsay
