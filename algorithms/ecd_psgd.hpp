#pragma once

#include "algorithms/method.hpp"
#include "algorithms/replicas.hpp"

namespace hearsay {

/// ECD-PSGD: extrapolation compression. The model stays exact; what is compressed is an extrapolated point, and all
/// holders average what they hear with weights 2/t, so that the error of an estimate falls like 1/t in variance.
///
///   gradient     g_i   = grad F_i(x_i; xi_i)
///   half step    x_i'  = xt_i + sum_j w_ij (xt_j - xt_i) - eta g_i
///   extrapolate  z_i   = x_i + (t/2) (x_i' - x_i)
///   exchange     send c_i = C(z_i) to every neighbor, encoded once
///   estimates    xt_j <- xt_j + (2/t) (c_j - xt_j)         for every neighbor j and for i itself
///   step         x_i  <- x_i'
///
/// with t = 1, 2, ... and xt_j = x_1 at the start ("xt" is the paper's x-tilde).
///
/// Sends      deg messages of |C| bytes per iteration, one sequential message time.
/// Shapes     x, x', z, c, xt_i, g in R^d and one xt_j per neighbor: memory (deg + 6) d.
/// Needs      W symmetric doubly stochastic and fixed, weights non-negative; C unbiased with an *absolute* error bound
///            (a fixed grid with integers of any length): z_i grows like t, so an error relative to it would, too.
/// Invariant  xt_j is the same at every holder, bit for bit; e_t = xt_t - x_t obeys
///            e_{t+1} = (1 - 2/t) e_t + (2/t) (C(z_t) - z_t), hence Var e_{t+1} = 2(2t-1)/(3t(t-1)) v for independent
///            errors of variance v, and what was wrong at t = 1 is forgotten at t = 3.
/// Source     Tang, Gan, Zhang, Zhang, Liu 2018 (arXiv:1803.06443), Algorithm 2.
/// Departs    both (1 - t/2) x + (t/2) x' and (1 - 2/t) xt + (2/t) c are written as differences, which do not cancel.
///            `restart_every` = R > 0: every R-th iteration sends x_i' in full precision, sets xt = x' and t = 1 again,
///            which bounds the integers' length. Ours, not the paper's.
template <class Scalar>
class EcdPsgd final : public Algorithm<Scalar> {
 public:
  explicit EcdPsgd(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  std::uint64_t traffic_period() const override { return restart_every_ == 0 ? 1 : restart_every_; }

 private:
  bool restarts_after(std::uint64_t number) const {
    return restart_every_ != 0 && number % restart_every_ == 0;
  }
  void follow(Vector<Scalar>& estimate, double t);

  std::unique_ptr<Compressor<Scalar>> compressor_;
  std::uint64_t restart_every_;
  Vector<Scalar> x_;
  Vector<Scalar> own_estimate_;  // xt_i
  Replicas<Scalar> estimates_;   // xt_j
  Vector<Scalar> half_step_;     // x_i'
  Vector<Scalar> extrapolated_;  // z_i
  Vector<Scalar> decoded_;       // c_i, then c_j, one neighbor at a time
};

MethodInfo ecd_psgd_info();

}  // namespace hearsay
