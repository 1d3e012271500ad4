#pragma once

#include "algorithms/methods/parts/difference_uplink.hpp"
#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// DORE: a hub; gradients as compressed differences to memories, and a compressed step with error feedback.
///
///   down      hub -> i:   c of every round that i missed;   xhat <- xhat + beta c, one by one
///   gradient  g_i(xhat)
///   up        i -> hub:   q_i = C(g_i - h_i);   h_i <- h_i + alpha q_i
///   group     j -> hub:   Q_j = C(s_j - H_j);  H_j <- H_j + alpha Q_j    on a tree: DifferenceUplink
///   gather    hub:        ghat = hbar + (1/r) sum_{S} q_i;   hbar <- hbar + (alpha/n) sum_{S} q_i
///   step      hub:        p = -eta ghat + a e;   c = C_dwn(p);   e <- p - c;   xhat <- xhat + beta c
///
/// Sends      as artemis.
/// Options    memory_step = alpha; damping = beta; error_decay = a.
/// Shapes     xhat, g - h, h, g in R^d: memory worker 4 d; hub besides hbar, e and ghat: 7 d; head as
///            artemis: 7 d.
/// Needs      a star around peer 0, or a tree of two levels below it. C and C_dwn unbiased; alpha <= 1 /
///            (1 + omega).
/// Invariant  with beta = a = 1 the point z = xhat + e obeys z <- z - eta ghat, whatever C_dwn does.
/// Source     Liu, Li, Tang, Yan 2020 (arXiv:1910.07561), Algorithm 1, without its proximal map.
/// Departs    the hub keeps hbar instead of every h_i; any worker may sit out. e is a part of a step, so it
///            is not scaled where eta changes. The default of alpha is 1 / (2 (1 + omega)), there 0.1.
template <class Scalar>
class Dore final : public Algorithm<Scalar> {
 public:
  explicit Dore(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index) const override { return downlink_.is_sound(); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  bool catches_up() const override { return downlink_.catches_up(); }

 private:
  bool is_hub_;
  Scalar damping_;      // beta
  Scalar error_decay_;  // a
  Vector<Scalar> x_;    // xhat
  DifferenceUplink<Scalar> uplink_;
  std::unique_ptr<Compressor<Scalar>> down_compressor_;
  Downlink<Scalar> downlink_;
  Vector<Scalar> difference_;  // g_i - h_i

  Vector<Scalar> estimate_;  // ghat, of the hub; s_j - H_j, of a head
  Vector<Scalar> error_;     // of the hub: e; p while it is encoded
};

MethodInfo dore_info();

}  // namespace hearsay
