#pragma once

#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/owed_error.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// 1-bit Adam: a hub; Adam in full precision for T_0 rounds, then a momentum in one bit a number both ways,
/// with error feedback at both ends, and with the variances v frozen after T_0 rounds.
///
///   t <= T_0   up     i -> hub:   g_i(x)
///              step   hub:        gbar = (1/r) sum_i g_i;   down gbar
///                     all:        m <- b1 m + (1 - b1) gbar;   v <- b2 v + (1 - b2) gbar^2;
///                                 x <- x - eta m / (sqrt(v) + 1e-8)
///   then       up     i -> hub:   p_i = b1 m + (1 - b1) g_i(x) + e_i;   c_i = C(p_i);   e_i <- p_i - c_i
///              step   hub:        p = (1/r) sum_i c_i + E;   c = C_dwn(p);   E <- p - c;   down c
///                     all:        m <- c;   x <- x - eta m / (sqrt(v) + 1e-8)
///
/// b1 = 0.9, b2 = 0.999. What goes down opens the next iteration. The hub is peer 0, and a worker, too, if it
/// has data. m = v = e = 0 at first.
///
/// Sends      up to round T_0 hub: r messages of 4d bytes (8d in double; none in iteration 1), worker: one of
///            4d; then |C_dwn| and |C|.
/// Options    dense_rounds = T_0; down_compressor = C_dwn.
/// Shapes     x, m, v, e, gbar, g in R^d: memory worker 6 d; hub besides E 7 d.
/// Needs      a star around peer 0; all workers take part, since a missed c costs a whole step. C and C_dwn
///            contracting. v must not be near 0 after T_0 rounds.
/// Invariant  m, v and x are equal, bit for bit, at all that took in the same messages. While it is dense it
///            is Adam, without corrections of its bias, on the mean gradient.
/// Source     Tang et al. 2021 (arXiv:2102.02888), Algorithm 1.
/// Departs    the paper's server and workers are parts of an all-to-all; here a hub. T_0 is a number of
///            rounds; the authors' code also offers a rule on the growth of v.
template <class Scalar>
class OneBitAdam final : public Algorithm<Scalar> {
 public:
  explicit OneBitAdam(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  std::optional<Traffic> traffic_up_to(std::uint64_t last, const PeerRows& rows) const override;

 private:
  bool is_dense(std::uint64_t number) const { return number <= dense_rounds_; }
  CodecStatus take_step(std::span<const std::byte> said, std::uint64_t number, Scalar step_size);

  bool is_hub_;
  std::uint64_t dense_rounds_;  // T_0
  Vector<Scalar> x_;
  std::unique_ptr<Compressor<Scalar>> full_precision_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  std::unique_ptr<Compressor<Scalar>> down_compressor_;
  Downlink<Scalar> downlink_;
  Vector<Scalar> mean_;          // m
  Vector<Scalar> squares_;       // v
  OwedError<Scalar> error_;      // e_i; p_i while it is encoded
  OwedError<Scalar> hub_error_;  // E, of the hub; p while it is encoded
  Vector<Scalar> sum_;           // of the answers, at the hub; then the gbar that was said
};

MethodInfo one_bit_adam_info();

}  // namespace hearsay
