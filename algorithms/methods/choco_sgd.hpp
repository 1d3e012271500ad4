#pragma once

#include <optional>

#include "algorithms/methods/parts/backlog.hpp"
#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/replica_sum.hpp"
#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/methods/parts/side_information.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"

namespace hearsay {

namespace option {
extern const NumberOption trigger;
}  // namespace option

/// CHOCO-SGD: compressed gossip that preserves the mean exactly, for any contractive compressor C.
///
///   gradient   g_i = grad F_i(x_i; xi_i);   x_i <- x_i - eta g_i
///   compress   q_i = C(x_i - xhat_i), encoded once, sent to every neighbor
///   replicas   xhat_j <- xhat_j + q_j, for every neighbor j and for i itself
///   consensus  x_i <- x_i + gamma sum_j w_ij (xhat_j - xhat_i)
///
/// If W changes from round to round, q_i goes through a Backlog. Sending q_i and the line "replicas" are
/// replaced by
///
///   catch up   send to every neighbor of this round the q_i that it missed, this one included, or xhat_i;
///              xhat_j <- xhat_j + every q_j that was missed, or xhat_j as it came
///
/// Options    consensus_step gamma: the rougher C, the smaller gamma must be; with too large a gamma
///            it diverges. order = "plain" is the order above; "pipelined" that of Koloskova, Lin et al.:
///            consensus, compress, and the gradient while q_i travels, for fixed W.
///            memory = "replicas" keeps every xhat_j; "aggregate" only S_i = sum_j w_ij (xhat_j - xhat_i),
///            for fixed W (ReplicaSum).
///            optimizer, local_steps = H: see LocalSteps (nesterov(beta) and H > 1: SQuARM-SGD).
///            trigger = c_0 > 0 (SPARQ-SGD): q_i is sent only if ||x_i - xhat_i||^2 > c_0 sqrt(t) eta_t^2,
///            t counting local steps. Otherwise an empty message says so (if W changes, one that holds no
///            packet of this iteration): silence is never mistaken for loss.
///            side_information: q_i, which then comes from a grid, is sent modulo k. It is decoded near 0
///            ("replica": x_i stays at xhat_i), near the q_i sent last ("last": xhat_i moves once more as it
///            did), or near half of it ("mean"); see SideInformation. "last" and "mean": fixed W, and memory
///            = "replicas".
/// Sends      deg messages of |C| bytes per iteration; if W changes, 8 and (|C| + 4) bytes for every
///            iteration since the last meeting, or 8 + 4 and xhat_i, whichever is shorter. With
///            side_information log2 k bits a coordinate, k the least with which all decode q_i.
/// Shapes     x, xhat, difference, g in R^d and one xhat_j per neighbor: memory (deg + 4) d; "aggregate": 6
///            d. If W changes, one xhat_j for everyone it ever hears, and at most one vector's bytes for the
///            backlog. (deg + 2) d more for side_information = "last" or "mean".
/// Needs      W doubly stochastic, symmetric if it is fixed, weights non-negative; C contracting in
///            expectation: an unbiased C of omega >= 1 must be scaled by 1/(1 + omega). Every message
///            delivered exactly once.
/// Invariant  consensus keeps the mean of the models, for any C and gamma ("aggregate": to rounding);
///            xhat_j = its owner's xhat, bit for bit (if W changes: as it was at their last meeting, just
///            before they mixed).
/// Source     Koloskova, Stich, Jaggi 2019 (arXiv:1902.00340), Algorithm 2; pipelined: Koloskova, Lin, Stich,
///            Jaggi 2020 (arXiv:1907.09356), Algorithm 1. Trigger: Singh, Data, George, Diggavi 2019
///            (arXiv:1910.14280); SQuARM: 2020 (arXiv:2005.07041).
/// Departs    xhat starts at the common x_0, not at 0; edge differences throughout. That W may change is
///            ours, and so is side_information.
template <class Scalar>
class ChocoSgd final : public Algorithm<Scalar> {
 public:
  explicit ChocoSgd(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index) const override { return !backlog_ || backlog_->is_sound(); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  bool catches_up() const override { return backlog_.has_value(); }

 private:
  PacketRef compressed(Iteration<Scalar>& it);
  Slot send(Iteration<Scalar>& it, const PacketRef& packet);
  void take_in(Iteration<Scalar>& it, std::span<const PacketRef> packets);
  void consensus(const Iteration<Scalar>& it);

  std::unique_ptr<Compressor<Scalar>> compressor_;
  double consensus_step_;      // gamma
  double trigger_;             // c_0
  std::uint64_t local_steps_;  // H
  bool pipelined_;
  Vector<Scalar> x_;
  Vector<Scalar> own_replica_;             // xhat_i
  Replicas<Scalar> replicas_;              // xhat_j; none with memory = "aggregate"
  std::optional<ReplicaSum<Scalar>> sum_;  // S_i; none with memory = "replicas"
  SideInformation<Scalar> side_information_;
  Vector<Scalar> difference_;  // x_i - xhat_i
  LocalSteps<Scalar> local_;
  std::optional<Backlog<Scalar>> backlog_;          // of the q_i, if W changes
  mutable std::optional<BacklogTraffic> foretold_;  // computed on first use: traits take a while
};

MethodInfo choco_sgd_info();

}  // namespace hearsay
