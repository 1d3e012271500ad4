#pragma once

#include "algorithms/methods/parts/difference_uplink.hpp"
#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"

namespace hearsay {

namespace option {
extern const TextOption memories;
}  // namespace option

/// Artemis, DIANA: a hub; compressed gradients, as differences to memories, and a compressed answer.
///
///   down      hub -> i:   Omega = C_dwn(ghat) of every round that i missed
///             i:          x <- x - eta Omega, one by one              (the decoded bytes; so at the hub)
///   gradient  g_i(x)
///   up        i -> hub:   q_i = C(g_i - h_i);   h_i <- h_i + alpha q_i
///   group     j -> hub:   Q_j = C(s_j - H_j);  H_j <- H_j + alpha Q_j    on a tree: DifferenceUplink
///   gather    hub:        pp2:  ghat = hbar + (1/r) sum_{S} q_i;   hbar <- hbar + (alpha/n) sum_{S} q_i
///                         pp1:  ghat = (1/r) sum_{S} (h_i + q_i);  h_i <- h_i + alpha q_i
///   step      hub:        Omega = C_dwn(ghat);  x <- x - eta Omega
///
/// S are the r workers of the round. The hub is peer 0, and a worker, too, if it has data. On a tree it
/// gathers the Q_j of the heads of groups, for s_j = sum_{i of group j} (h_i + q_i).
///
/// Sends      hub: r messages of |C_dwn| bytes, those of the last round (none in iteration 1), to a worker
///            that sat out of 8 bytes and |C_dwn| + 4 per round that it missed, or of the whole model if that
///            is shorter; worker: one of |C| bytes. A head sends its group as much as the hub sends it.
/// Options    compressor = C; down_compressor = C_dwn; memory_step = alpha; 0: no memories. memories:
///            pp1, the hub keeps every h_i, and uses that of a worker if it takes part; pp2, hbar stands for
///            those that sit out. If all take part the two are equal, to rounding. With memory_step = 0 it is
///            bi-QSGD; with full precision down it is DIANA, which does not read down_compressor; with both
///            it is QSGD with a hub.
/// Shapes     x, g - h, h, g in R^d: memory worker 4 d; hub besides hbar and ghat 6 d, with pp1 n + 4 d. A
///            head has the sum of its group's h_i, H_j and s_j besides: 7 d, with pp1 a d per worker and 6 d.
/// Needs      a star around peer 0, or a tree of two levels below it. C and C_dwn unbiased; alpha <= 1 /
///            (1 + omega).
/// Invariant  on a star hbar = mean_i h_i after every round, to rounding. The models of all that took part in
///            the same rounds are equal, bit for bit. On smooth strongly convex f_i with full gradients h_i
///            tends to grad f_i(x*), and H_j to their sum over the group.
/// Source     Philippenko, Dieuleveut 2020 (arXiv:2006.14591), Algorithm 1. DIANA: Mishchenko, Gorbunov,
///            Takac, Richtarik 2019 (arXiv:1901.09269), Algorithm 1.
/// Departs    The paper draws each worker with probability p and divides by p n; here r workers are drawn,
///            and divided by r. The authors' code moves hbar by alpha sum q_i / (p n), which leaves it apart
///            from the mean of the h_i; here alpha/n. h_i = 0 at first, as in the paper; their code begins
///            with the first gradients, sent in full.
template <class Scalar>
class Artemis final : public Algorithm<Scalar> {
 public:
  explicit Artemis(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index) const override { return downlink_.is_sound(); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  bool catches_up() const override { return downlink_.catches_up(); }

 private:
  bool is_hub_;
  Vector<Scalar> x_;
  DifferenceUplink<Scalar> uplink_;
  std::unique_ptr<Compressor<Scalar>> down_compressor_;
  Downlink<Scalar> downlink_;
  Vector<Scalar> difference_;  // g_i - h_i
  Vector<Scalar> estimate_;    // ghat, of the hub; s_j - H_j, of a head
};

MethodInfo artemis_info();
MethodInfo diana_info();

}  // namespace hearsay
