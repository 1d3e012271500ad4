#pragma once

#include "algorithms/methods/parts/backlog.hpp"
#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/methods/parts/side_information.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// CHOCO-GOSSIP: the peers average their vectors through compressed messages, and reach the exact average.
/// There is no training: in the first iteration one full local gradient step makes the vectors differ. All
/// later iterations bring every x_i to their mean, which is one step of centralized gradient descent.
///
///   start      x_i <- x_0 - eta_1 grad f_i(x_0), in the first iteration
///   compress   q_i = C(x_i - xhat_i), encoded once, sent to every neighbor
///   replicas   xhat_j <- xhat_j + q_j, for every neighbor j and for i itself
///   consensus  x_i <- x_i + gamma sum_j w_ij (xhat_j - xhat_i)
///
/// If W changes from round to round, q_i goes through a Backlog, and a peer starts in the first iteration in
/// which it takes part. Sending q_i and the line "replicas" are replaced by
///
///   catch up   send to every neighbor of this round the q_i that it missed, this one included, or xhat_i;
///              xhat_j <- xhat_j + every q_j that was missed, or xhat_j as it came
///
/// Options    consensus_step gamma; side_information: as in CHOCO-SGD, log2 k bits a coordinate; the closer
///            the peers are to consensus, the fewer.
/// Sends      deg messages of |C| bytes per iteration; if W changes, 8 and (|C| + 4) bytes for every
///            iteration since the last meeting, or 8 + 4 and xhat_i, whichever is shorter.
/// Shapes     x, xhat, a difference in R^d, one xhat_j per neighbor, and a gradient: memory (deg + 4) d; if W
///            changes, one xhat_j for everyone it ever hears, and at most one vector's bytes for the backlog;
///            (deg + 2) d more for side_information = "last" or "mean".
/// Needs      W doubly stochastic, symmetric if it is fixed, weights non-negative; C contracting in
///            expectation (an unbiased one scaled by 1/(1 + omega)). Every message delivered exactly once.
/// Invariant  the mean of the vectors stays, for any C and gamma; xhat_j = its owner's xhat, bit for bit (if
///            W changes: as it was at their last meeting, just before they mixed).
/// Source     Koloskova, Stich, Jaggi 2019 (arXiv:1902.00340), Algorithm 1.
/// Departs    xhat starts at the common x_0, not at 0; edge differences. That W may change is ours,
///            and so is side_information.
template <class Scalar>
class ChocoGossip final : public Algorithm<Scalar> {
 public:
  explicit ChocoGossip(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index) const override { return !backlog_ || backlog_->is_sound(); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  bool catches_up() const override { return backlog_.has_value(); }

 private:
  std::unique_ptr<Compressor<Scalar>> compressor_;
  double consensus_step_;  // gamma
  Vector<Scalar> x_;
  Vector<Scalar> own_replica_;  // xhat_i
  Replicas<Scalar> replicas_;   // xhat_j
  SideInformation<Scalar> side_information_;
  Vector<Scalar> difference_;                       // x_i - xhat_i
  std::optional<Backlog<Scalar>> backlog_;          // of the q_i, if W changes
  mutable std::optional<BacklogTraffic> foretold_;  // computed on first use: traits take a while
};

MethodInfo choco_gossip_info();

}  // namespace hearsay
