#pragma once

#include <optional>
#include "algorithms/seam/method_options.hpp"

#include "algorithms/methods/parts/censor_threshold.hpp"
#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

namespace option {
extern const TextOption threshold;
}  // namespace option

/// CHB, censored heavy ball: a hub; a worker whose gradient has hardly changed sends an empty message.
///
///   down    hub -> i:   x                                           (t = 1: an empty message, all know x_0)
///   censor  i:          dg = g_i(x) - s_i;   silent iff t > 1 and ||dg||^2 <= eps_1 ||x - x'||^2
///   up      i -> hub:   dg, or an empty message if it is silent
///           i:          s_i <- s_i + dg, if it was sent
///   drop    hub:        keeps every s_i, and sbar is the mean of those of the workers that are left
///   step    hub:        sbar <- sbar + (1/n) sum dg;   x, x' <- x - eta sbar + beta (x - x'), x
///
/// x' is the model before, at a worker that sat out the one that it heard last (the hub hears every x). The
/// hub is peer 0, and a worker, too, if it has data. s_i = sbar = 0 and x' = x_0 at first.
///
/// Sends      hub: r messages of 4d bytes (8d in double); worker: one of 4d, or of 64, the header, in
///            silence.
/// Options    threshold = eps_1: "auto" is 0.1 / eta_t^2; 0 is heavy ball. momentum = beta.
/// Shapes     x, x', s, dg, g in R^d: memory worker 5 d; hub besides sbar and the sum 7 d, and, under the
///            policy "drop", a d for each other worker.
/// Needs      a star around peer 0. No compressor. Full gradients: the noise of a minibatch is a change, too.
/// Invariant  sbar = mean_i s_i, to rounding. A worker with L_i^2 <= eps_1, L_i the smoothness constant of
///            f_i, never sends a change in two consecutive iterations: after it has sent, ||dg|| <= L_i ||x -
///            x'||.
/// Source     Chen, Blum, Sadler 2022 (arXiv:2209.11944), Algorithm 1.
/// Departs    the paper minimises the sum of M functions with eps_1 = 0.1 / (eta^2 M^2); for the mean that is
///            0.1 / eta^2. The hub adds changes to sbar instead of summing all s_i anew.
template <class Scalar>
class Chb final : public Algorithm<Scalar> {
 public:
  explicit Chb(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  CodecStatus take(PeerId i, std::span<const std::byte> change);

  bool is_hub_;
  PeerId worker_count_;        // n
  CensorThreshold threshold_;  // eps_1
  Scalar momentum_;            // beta
  Vector<Scalar> x_;
  Vector<Scalar> before_;  // x'
  Vector<Scalar> said_;    // s_i
  Vector<Scalar> change_;  // dg
  bool hub_keeps_each_;    // s_i

  // Of the hub.
  Vector<Scalar> mean_said_;                 // sbar
  Vector<Scalar> sum_;                       // of the answers, or of the s_i; then the next x
  std::optional<Replicas<Scalar>> said_of_;  // s_i of the other workers
};

MethodInfo chb_info();

}  // namespace hearsay
