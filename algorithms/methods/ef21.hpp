#pragma once

#include <optional>

#include "algorithms/methods/parts/difference_uplink.hpp"
#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/parts/owed_error.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

namespace option {
extern const NumberOption control;
}  // namespace option

/// EF21, EF21-BC, CD-Adam and EControl: a hub, and memories that follow the workers' gradients through
/// contracting compressors. EF21-BC compresses the hub's answer in the same way; CD-Adam steps by AMSGrad
/// besides. EControl is EF21 with a share of the accumulated error in every message.
///
///   down    ef21, econtrol       x                                  (t = 1: an empty message, all know x_0)
///           ef21-bc, cd-adam     c of the last round, and i does the last line of `step`
///   up      i -> hub:   v_i <- beta v_i + (1 - beta) g_i(x);   q_i = C(v_i - h_i);   h_i <- h_i + q_i
///           econtrol    q_i = C(g_i(x) - h_i + kappa e_i);   h_i <- h_i + q_i;
///                       e_i <- e_i + g_i(x) - h_i                   (the new h_i)
///   group   j -> hub:   Q_j = C(s_j - H_j);   H_j <- H_j + Q_j;   s_j = sum_{i of group j} h_i, on a tree
///   step    hub:        hbar <- hbar + (1/n) sum_{i in S} q_i;       on a tree with Q_j for q_i
///           ef21, econtrol      x <- x - eta hbar
///           ef21-bc, cd-adam     c = C_dwn(hbar - ht);
///                       all:     ht <- ht + c;   x <- x - eta ht;
///                                cd-adam: x by the optimizer, with ht for the gradient
///
/// The hub is peer 0, and a worker, too, if it has data. All of h, e, hbar, ht are 0 at first.
///
/// Sends      hub: r messages of 4d (8d in double), ef21-bc and cd-adam of |C_dwn| bytes, none of them in
///            iteration 1; worker: one of |C| bytes.
/// Options    momentum = beta (0: v_i = g_i); down_compressor = C_dwn; optimizer, the common step of cd-adam;
///            control = kappa, of econtrol.
/// Shapes     x, h, v - h, g in R^d, with momentum v: memory ef21 worker 4 d, hub besides hbar and the sum
///            6 d, heads of groups besides H_j, s_j and the sum of their h_i 7 d; ef21-bc and cd-adam have
///            ht, the hub hbar - ht besides; cd-adam a step and the optimizer's state besides, at every
///            peer: amsgrad's are 3 d. econtrol has e besides, at every worker.
/// Needs      a star around peer 0, or, but for econtrol, a tree of two levels below it. C and C_dwn
///            contracting. ef21, econtrol: any worker may be absent, its h_i and e_i stay; the others: all
///            take part, since a missed c costs a whole step.
/// Invariant  hbar = mean_i h_i on a star, and (1/n) sum_j H_j on a tree, to rounding. With C none it is
///            gradient descent (momentum 0). x, ht and the optimizer's state are equal, bit for bit, at all
///            that took in the same c. cd-adam with C none is the optimizer's method on the mean gradient.
///            econtrol: if all take part, x - eta mean_i e_i follows x' <- x' - eta mean_i g_i, whatever C
///            does; with kappa = 0 it is ef21.
/// Source     EF21: Richtarik, Sokolov, Fatkhullin 2021 (arXiv:2106.05203), Algorithm 2. EF21-BC: Fatkhullin
///            et al. 2021 (arXiv:2110.03294), Algorithm 5. EF21-SGDM: Fatkhullin et al. 2023
///            (arXiv:2305.15155), Algorithm 1, momentum. CD-Adam: Wang, Lin, Chen 2022 (arXiv:2111.00705),
///            Algorithm 1. EControl: Gao, Islamov, Stich 2024 (arXiv:2311.05645), Algorithm 2.
/// Departs    h_i = v_i = 0 at first; these papers begin with g_i(x_0) in full. e_i is an error of a
///            gradient, but has to be made up for as a part of a step. So it is scaled by eta_{t'} / eta_t,
///            t' the last iteration in which the worker took part. CD-Adam's paper has
///            sqrt(u + eps) where amsgrad has sqrt(u) + 1e-8; weight decay and the cuts of its step size are
///            those of the run.
template <class Scalar>
class Ef21 final : public Algorithm<Scalar> {
 public:
  explicit Ef21(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  PacketRef answer_with_error(Iteration<Scalar>& it, const Vector<Scalar>& gradient);
  bool compresses_down() const { return down_compressor_ != nullptr; }
  CodecStatus take_step(std::span<const std::byte> c, Scalar step_size);

  bool is_hub_;
  Scalar momentum_;  // beta
  Vector<Scalar> x_;
  DifferenceUplink<Scalar> uplink_;
  Vector<Scalar> tracked_;                  // v_i; empty without momentum
  Scalar control_;                          // kappa
  std::optional<OwedError<Scalar>> error_;  // e_i, of econtrol
  Vector<Scalar> difference_;               // v_i - h_i
  Vector<Scalar> mean_;                     // of the hub: hbar, then hbar - ht; of a head: s_j - H_j
  Downlink<Scalar> downlink_;

  // Of ef21-bc and cd-adam.
  std::unique_ptr<Compressor<Scalar>> down_compressor_;
  Vector<Scalar> common_;  // ht
  std::unique_ptr<LocalOptimizer<Scalar>> optimizer_;
  Vector<Scalar> step_;  // of an optimizer other than sgd
};

MethodInfo ef21_info();
MethodInfo ef21_bc_info();
MethodInfo cd_adam_info();
MethodInfo econtrol_info();

}  // namespace hearsay
