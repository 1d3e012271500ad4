#pragma once

#include <optional>

#include "algorithms/methods/parts/backlog.hpp"
#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/replica_sum.hpp"
#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/methods/parts/side_information.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// DCD-PSGD: difference compression. Every holder of a replica, the owner included, applies the same decoded
/// bytes, so a replica equals its owner's model bit for bit.
///
///   gradient    g_i  = grad F_i(x_i; xi_i)
///   difference  z_i  = sum_j w_ij (xhat_j - x_i) - eta g_i    (= x_i' - x_i, x_i' the D-PSGD half step)
///   compress    c_i  = C(z_i), encoded once;   x_i <- x_i + c_i     (the decoded bytes, never z_i)
///   exchange    send c_i to every neighbor;    xhat_j <- xhat_j + c_j
///
/// c_i travels during the gradient of the next iteration, whose x_i is known as soon as c_i is.
///
/// That is order = "combine-then-adapt", the default for H = 1. With order = "adapt-then-combine", the
/// default for H > 1 local steps, the steps begin at the mixed replicas, and all of them are mixed:
///
///   gradient    y_i = x_i;  H times: g_i = grad F_i(y_i; xi_i);  y_i <- y_i - eta g_i
///   compress    c_i  = C(y_i - xhat_i), encoded once;   xhat_i <- xhat_i + c_i
///   exchange    send c_i to every neighbor;    xhat_j <- xhat_j + c_j
///   mix         x_i <- xhat_i + sum_j w_ij (xhat_j - xhat_i)
///
/// The next gradient waits for c_j then, for it is taken at the mixed x_i. The errors of C propagate as in
/// the other order, with xhat in the place of x.
///
/// If W changes from round to round, c_i waits in a Backlog instead, and the iteration begins with
///
///   catch up    send to every neighbor of this round the c_i that it missed, which travel during the
///               gradient, or x_i; xhat_j <- xhat_j + every c_j that was missed, or x_j
///
/// (adapt-then-combine: "exchange" is this, with xhat_i instead of x_i, and c_i of this iteration is told,
/// too).
///
/// Sends      deg messages of |C| bytes per iteration, one sequential message time; if W changes, 8 and (|C|
///            + 4) bytes for every iteration since the last meeting, or 8 + 4 and x_i, whichever is shorter.
///            With side_information log2 k bits a coordinate, k the least with which all decode c_i: the
///            closer the peers are to consensus and the smaller the gradients, the fewer.
/// Options    optimizer, a local step rule instead of -eta g; local_steps = H: H of them, each on its own
///            minibatch; order, above. memory = "replicas" keeps every xhat_j; "aggregate" only their part
///            in z_i, S_i = sum_j w_ij (xhat_j - x_i), for fixed W (ReplicaSum). side_information: c_i, which
///            then comes from a grid, is sent modulo k. It is decoded near 0 ("replica": x_i stays), near c_i
///            of the iteration before ("last": x_i moves once more as it did), or near half of it ("mean");
///            see SideInformation. "last" and "mean": fixed W, and memory = "replicas".
/// Shapes     x, z, g in R^d and one xhat_j per neighbor: memory (deg + 3) d; "aggregate": 5 d; d more if the
///            steps come first. If W changes, one xhat_j for everyone it ever hears, and at most one vector's
///            bytes for the backlog. (deg + 2) d more for side_information = "last" or "mean".
/// Needs      W doubly stochastic, symmetric if it is fixed, weights non-negative; C unbiased with relative
///            error below the mean-square limit, omega < n / sum_{k>=2} (1 - lambda_k)/(1 + lambda_k) for
///            circulant W (DcdLimit). Every message delivered exactly once: a lost c_j would displace xhat_j
///            for good.
/// Invariant  xhat_j = x_j (its owner's xhat_j, if the steps come first) after every iteration; if W changes,
///            xhat_j = x_j as it was at their last meeting, just before they mixed. The fixed points are
///            those of D-PSGD.
/// Source     Tang, Gan, Zhang, Zhang, Liu 2018 (arXiv:1803.06443), Algorithm 1.
/// Departs    z_i is formed from edge differences, without adding and subtracting x_i: one rounding less.
///            That W may change is ours, and so are adapt-then-combine and side_information. The error of a
///            grid is absolute, so with a grid the step of the grid bounds how near x_i comes to the optimum.
template <class Scalar>
class DcdPsgd final : public Algorithm<Scalar> {
 public:
  explicit DcdPsgd(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override {
    return adapts_first_ ? adapt_then_combine(it) : combine_then_adapt(it);
  }
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index) const override { return !backlog_ || backlog_->is_sound(); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  bool catches_up() const override { return backlog_.has_value(); }

 private:
  Task combine_then_adapt(Iteration<Scalar>& it);
  Task adapt_then_combine(Iteration<Scalar>& it);
  void take_in(Iteration<Scalar>& it, std::span<const PacketRef> packets);

  std::unique_ptr<Compressor<Scalar>> compressor_;
  bool adapts_first_;
  Vector<Scalar> x_;
  Vector<Scalar> own_replica_;             // xhat_i; empty if it is x_i
  Replicas<Scalar> replicas_;              // xhat_j; none with memory = "aggregate"
  std::optional<ReplicaSum<Scalar>> sum_;  // S_i; none with memory = "replicas"
  SideInformation<Scalar> side_information_;
  Vector<Scalar> difference_;  // z_i, or y_i - xhat_i
  LocalSteps<Scalar> local_;
  std::optional<Backlog<Scalar>> backlog_;          // of the c_i, if W changes
  mutable std::optional<BacklogTraffic> foretold_;  // computed on first use: traits take a while
};

MethodInfo dcd_psgd_info();

}  // namespace hearsay
