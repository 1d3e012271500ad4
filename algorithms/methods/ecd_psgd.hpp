#pragma once

#include "algorithms/methods/parts/backlog.hpp"
#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/replica_sum.hpp"
#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"

namespace hearsay {

namespace option {
extern const CountOption restart_every;
}  // namespace option

/// ECD-PSGD: extrapolation compression. The model stays exact: an extrapolated point is compressed instead.
/// All holders average what they receive with weights 2/t, so that the variance of an estimate's error falls
/// like 1/t.
///
///   gradient     g_i   = grad F_i(x_i; xi_i)
///   half step    x_i'  = xt_i + sum_j w_ij (xt_j - xt_i) - eta g_i
///   extrapolate  z_i   = x_i + (t/2) (x_i' - x_i)
///   exchange     send c_i = C(z_i) to every neighbor, encoded once
///   estimates    xt_j <- xt_j + (2/t) (c_j - xt_j)         for every neighbor j and for i itself
///   step         x_i  <- x_i'
///
/// with t = 1, 2, ... and xt_j = x_1 at the start ("xt" is the paper's x-tilde). c_i travels during the
/// gradient of the next iteration, which is taken at x_i'.
///
/// That is order = "combine-then-adapt", the default for H = 1. With order = "adapt-then-combine", the
/// default for H > 1 local steps, the steps begin at the mixed estimates, with y in the place of x (y_i = x_1
/// at the start):
///
///   gradient     y_i'  = x_i;  H times: g_i = grad F_i(y_i'; xi_i);  y_i' <- y_i' - eta g_i
///   extrapolate  z_i   = y_i + (t/2) (y_i' - y_i);   y_i <- y_i'
///   exchange     send c_i = C(z_i) to every neighbor, encoded once
///   estimates    xt_j <- xt_j + (2/t) (c_j - xt_j)         for every neighbor j and for i itself
///   mix          x_i  <- xt_i + sum_j w_ij (xt_j - xt_i)
///
/// If W changes from round to round, c_i waits in a Backlog instead, and the iteration begins with
///
///   catch up     send to every neighbor of this round the c_i that it missed, which travel during the
///                gradient, or xt_i; the estimates of all c_j that were missed, each with its own t, or xt_j
///                as it came
///
/// (adapt-then-combine: "exchange" and "estimates" are this, and c_i of this iteration is told, too).
///
/// Every peer then counts the iterations in which it takes part: t is 1 + the number of c_i that it has sent
/// before.
///
/// Sends      deg messages of |C| bytes per iteration, one sequential message time; if W changes, 8 and (|C|
///            + 4) bytes for every iteration since the last meeting, or 8 + 4 and xt_i, whichever is shorter.
/// Options    optimizer, local_steps: see LocalSteps; order, above; restart_every, below. memory = "replicas"
///            keeps every xt_j; "aggregate" only their part in x_i', S_i = sum_j w_ij (xt_j - xt_i), for
///            fixed W (ReplicaSum): S_i <- (1 - 2/t) S_i + (2/t) sum_j w_ij (c_j - c_i).
/// Shapes     x, x', z, c, xt_i, g in R^d and one xt_j per neighbor: memory (deg + 6) d; "aggregate": 8 d; d
///            more if the steps come first. If W changes, one xt_j for everyone it ever hears, and at most
///            one vector's bytes for the backlog.
/// Needs      W doubly stochastic, symmetric if it is fixed, weights non-negative; C unbiased with an
///            *absolute* error bound (a fixed grid with integers of any length): z_i grows like t, so an
///            error relative to z_i would grow, too.
/// Invariant  xt_j is the same at every holder, bit for bit (if W changes, at every meeting, just before they
///            mix); e_t = xt_t - x_t obeys e_{t+1} = (1 - 2/t) e_t + (2/t) (C(z_t) - z_t), hence Var e_{t+1}
///            = 2(2t-1)/(3t(t-1)) v for independent errors of variance v, and an error at t = 1 is forgotten
///            at t = 3.
/// Source     Tang, Gan, Zhang, Zhang, Liu 2018 (arXiv:1803.06443), Algorithm 2.
/// Departs    both (1 - t/2) x + (t/2) x' and (1 - 2/t) xt + (2/t) c are written as differences, which do not
///            cancel. `restart_every` = R > 0: every R-th iteration sends x_i' in full precision, sets xt =
///            x' and t = 1 again (a peer that sits it out does so in its next iteration), which bounds the
///            integers' length. This is ours, as are adapt-then-combine and that W may change.
template <class Scalar>
class EcdPsgd final : public Algorithm<Scalar> {
 public:
  explicit EcdPsgd(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override {
    return adapts_first_ ? adapt_then_combine(it) : combine_then_adapt(it);
  }
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index) const override { return !backlog_ || backlog_->is_sound(); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  bool catches_up() const override { return backlog_.has_value(); }
  std::uint64_t traffic_period() const override { return std::max<std::uint64_t>(restart_every_, 1); }
  std::optional<Traffic> traffic_up_to(std::uint64_t last, const PeerRows& rows) const override;

 private:
  Task combine_then_adapt(Iteration<Scalar>& it);
  Task adapt_then_combine(Iteration<Scalar>& it);
  double since_restart(std::uint64_t number) const;
  /// True in every R-th iteration. A peer that sat it out restarts in its next one.
  bool restarts_in(std::uint64_t number) const {
    const std::uint64_t last = backlog_ ? last_ : number - 1;
    return restart_every_ != 0 && number / restart_every_ > last / restart_every_;
  }
  PacketRef extrapolate(Iteration<Scalar>& it, const Vector<Scalar>& from, double t);
  void mix_estimates(Iteration<Scalar>& it, Vector<Scalar>& into);
  void hear_all(Iteration<Scalar>& it, std::span<const PacketRef> packets, double t);
  void hear_half_steps(Iteration<Scalar>& it, std::span<const PacketRef> packets);
  CodecStatus catch_up(std::span<const WeightedNeighbor> neighbors, std::span<const PacketRef> messages);
  void follow(Vector<Scalar>& estimate, double t);
  CodecStatus hear(std::span<const std::byte> packet, double t, Vector<Scalar>& estimate);

  std::unique_ptr<Compressor<Scalar>> compressor_;
  std::uint64_t restart_every_;
  bool adapts_first_;
  Vector<Scalar> x_;
  Vector<Scalar> adapted_;                 // y_i; empty if it is x_i
  Vector<Scalar> own_estimate_;            // xt_i
  Replicas<Scalar> estimates_;             // xt_j; none with memory = "aggregate"
  std::optional<ReplicaSum<Scalar>> sum_;  // S_i; none with memory = "replicas"
  Vector<Scalar> half_step_;               // x_i'
  Vector<Scalar> extrapolated_;            // z_i
  Vector<Scalar> decoded_;                 // c_i, then c_j, one neighbor at a time
  LocalSteps<Scalar> local_;
  std::uint64_t last_ = 0;                  // iteration in which this peer took part; kept if W changes
  std::optional<Backlog<Scalar>> backlog_;  // of the c_i, if W changes
  mutable std::optional<BacklogTraffic> foretold_;  // computed on first use: traits take a while
};

MethodInfo ecd_psgd_info();

}  // namespace hearsay
