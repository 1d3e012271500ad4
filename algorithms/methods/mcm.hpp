#pragma once

#include "algorithms/methods/parts/difference_downlink.hpp"
#include "algorithms/methods/parts/difference_uplink.hpp"
#include "algorithms/methods/parts/separate_downlink.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// MCM ("preserved central model"): a hub; compression both ways, and the hub's own model is never
/// compressed.
///
///   down      hub -> i:   Omega = C_dwn(w - H)
///             i:          xhat = H + Omega;   H <- H + alpha_dwn Omega           (H: at both ends)
///   gradient  g_i(xhat)
///   up        i -> hub:   q_i = C(g_i - h_i);   h_i <- h_i + alpha q_i
///   group     j -> hub:   Q_j = C(s_j - H_j);  H_j <- H_j + alpha Q_j    on a tree: DifferenceUplink
///   gather    hub:        ghat = hbar + (1/r) sum_{S} q_i;   hbar <- hbar + (alpha/n) sum_{S} q_i
///   step      hub:        w <- w - eta ghat
///
/// H = w_0 at first. The model that counts is w. Rand-MCM draws the compression anew for every worker, and
/// has an H_i for each:
///
///   down      hub -> i:   Omega_i = C_dwn(w - H_i)     for each i of the round, in ascending id
///             i:          xhat_i = H_i + Omega_i;   H_i <- H_i + alpha_dwn Omega_i      (H_i: at both ends)
///
/// The errors of the workers' models are then independent, so their mean is smaller. The hub encodes r times
/// an iteration, and keeps every H_i. `Downlink` is the difference: DifferenceDownlink, or SeparateDownlink.
///
/// Sends      hub: r messages of |C_dwn| bytes; worker: one of |C| bytes. If workers may sit out, mcm's hub
///            sends another before: 8 bytes and |C_dwn| + 4 per round that the worker missed, or H in full if
///            that is shorter.
/// Options    memory_step = alpha; down_memory_step = alpha_dwn.
/// Shapes     xhat, H, h, g - h, g in R^d: memory worker 5 d; hub besides w, hbar and ghat: 8 d, and with
///            rand-mcm the H_i of the other workers, n + 7 d; head besides the sum of its group's h_i, H_j
///            and s_j: 8 d.
/// Needs      a star around peer 0, or for mcm a tree of two levels below it. C and C_dwn unbiased; alpha <=
///            1 / (1 + omega), alpha_dwn likewise. With rand-mcm the H_i of a worker that sits out stays at
///            both ends.
/// Invariant  H is equal at all that receive it, bit for bit, and so is H_i at both ends (it is a state of
///            both, since the hub updates it before it receives the answers). Given the past, E xhat = w. w
///            moves by what is
///            decoded of the q_i (Q_j) alone. With C_dwn = none w moves as in DIANA, to rounding.
/// Source     Philippenko, Dieuleveut 2021 (arXiv:2102.12528), Algorithm 1, and Rand-MCM there.
/// Departs    the theorem's alpha_dwn is 1 / (8 omega_dwn), the authors' code has 1 / (2 (1 + omega_dwn)),
///            which is our default. The hub keeps hbar instead of every h_i. Rand-MCM-G, with one H for all
///            that only the hub knows, is not here: it has to be sent in full now and then.
template <class Scalar, template <class> class Downlink>
class Mcm final : public Algorithm<Scalar> {
 public:
  explicit Mcm(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  /// w at the hub, xhat at a worker.
  const Vector<Scalar>& model() const override { return is_hub_ ? w_ : x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index) const override { return downlink_.is_sound(); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  bool catches_up() const override { return downlink_.catches_up(); }

 private:
  bool is_hub_;
  Vector<Scalar> x_;           // xhat
  Downlink<Scalar> downlink_;  // H, or the H_i
  DifferenceUplink<Scalar> uplink_;
  Vector<Scalar> difference_;  // g_i - h_i; w - H while it is encoded
  Vector<Scalar> w_;           // of the hub
  Vector<Scalar> estimate_;    // ghat, of the hub; s_j - H_j, of a head
};

MethodInfo mcm_info();
MethodInfo rand_mcm_info();

}  // namespace hearsay
