#pragma once

#include "algorithms/methods/parts/all_reduce.hpp"
#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/state_vectors.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"

namespace hearsay {

namespace option {
extern const TextOption inner_state;
}  // namespace option

/// Local SGD, DiLoCo and SlowMo: H local steps at every peer, and an outer step by the mean of their changes,
/// summed by an all-reduce. The three differ in the outer rule.
///
///   inner   y_i = x;  H times: g_i = grad F_i(y_i; xi_i);  y_i <- y_i - eta g_i
///   reduce  D = (1/n) sum_i (x - y_i)                                         (AllReduce)
///   outer   local-sgd   x <- x - rho D                                        rho = 1: the mean of the y_i
///           diloco      m <- beta m + D;        x <- x - rho (D + beta m)
///           slowmo      m <- beta m + D/eta_t;  x <- x - alpha eta_t m
///
/// Sends      2(n-1) messages of 4d/n bytes (8d/n in double) per iteration, one after the other, to the peer
///            with the next id, or log2 n of 4d bytes (reduce = "doubling"), whatever the mixing graph. An
///            iteration is a round of H steps.
/// Options    reduce, how the sum is formed (AllReduce); optimizer, the local step rule instead of -eta g;
///            local_steps = H, each on its own minibatch; outer, the outer rule (OuterRule): every method of
///            this file takes any; inner_state, what becomes of the optimizer's state after a round: each
///            peer keeps its own, or begins anew, or takes the mean over the peers, which is summed along
///            with D.
/// Shapes     x, y, D, g in R^d, and m with momentum: memory 4 d (local-sgd), 5 d, and the
///            optimizer's state, twice if it is averaged.
/// Needs      nothing of W. No compressor. An adaptive optimizer (adam, ...) takes steps of much the same
///            length at every peer, whatever its gradients' length. If the peers' data differ much, the mean
///            of such steps does not lead to the optimum.
/// Invariant  all models are equal, bit for bit, after every iteration. With H = 1, sgd and none(1) it is
///            all-reduce SGD; with nesterov(1, beta) Nesterov's SGD.
/// Source     local SGD: Stich 2019 (arXiv:1805.09767), Algorithm 1. DiLoCo: Douillard et al. 2023
///            (arXiv:2311.08105), Algorithm 1. SlowMo: Wang, Tantia, Ballas, Rabbat 2020 (arXiv:1910.00643),
///            Algorithm 1, with exact averages.
/// Departs    the defaults: DiLoCo's local steps are AdamW's and H = 500, SlowMo's H is 12 to 48. Here H is
///            10 and the local step is that of SGD, since heterogeneous data are the usual case.
template <class Scalar>
class LocalSgd final : public Algorithm<Scalar> {
 public:
  explicit LocalSgd(const MethodInput<Scalar>& input)
      : peer_count_(input.peer_count),
        all_reduce_(input.options[option::reduce], input.self, input.peer_count),
        x_(input.initial),
        local_(input),
        outer_(OuterRule::parse(input.options[option::outer]), input.initial.size()),
        resets_(input.options[option::inner_state] == "reset") {
    if (input.options[option::inner_state] == "average") local_.visit_optimizer(averaged_);
    drift_.resize(x_.size());
    if (averaged_.size() != 0) sum_.resize(x_.size() + averaged_.size());
  }

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  bool averages() const { return sum_.size() != 0; }

  PeerId peer_count_;
  AllReduce all_reduce_;
  Vector<Scalar> x_;
  LocalSteps<Scalar> local_;
  OuterStep<Scalar> outer_;
  bool resets_;                    // the optimizer's state, before every round
  StateVectors<Scalar> averaged_;  // of the optimizer; none unless its state is averaged
  Vector<Scalar> drift_;           // y_i - x, then D
  Vector<Scalar> sum_;             // of the drifts and of the optimizers' states; empty if drift_ is summed
};

MethodInfo local_sgd_info();
MethodInfo diloco_info();
MethodInfo slowmo_info();

}  // namespace hearsay
