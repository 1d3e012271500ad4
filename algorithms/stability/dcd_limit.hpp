#pragma once

#include <optional>

#include "algorithms/stability/noise_feedback.hpp"

namespace hearsay {

/// DCD-PSGD's mean-square limit: on W, with compression noise of relative variance omega, independent between peers,
/// consensus is stable below the limit and unstable above it.
///
///     M -> W M W + omega Diag((W - I) M (W - I))      on the consensus subspace
///
/// has spectral radius 1 there. In terms of NoiseFeedback: noise of one round is (W - I) W^t noise, t rounds later, in the
/// difference that is compressed, so that
///
///     s_kl = (1 - lambda_k)(1 - lambda_l) / (1 - lambda_k lambda_l),
///
/// and where all peers are alike the limit is n / sum_{k>=2} (1 - lambda_k) / (1 + lambda_k).
class DcdLimit {
 public:
  /// Nothing where W is not symmetric, and where it would cost seconds: for more than 128 peers if they are not alike,
  /// for more than 1024 if W is not circulant.
  static std::optional<DcdLimit> of(const MixingMatrix& mixing);

  /// Infinite for n = 1, 0 where gossip does not converge at all. Of a I + (1 - a) W where a > 0 is given.
  double omega(double a = 0.0) const;

  /// The smallest self weight that the peers of a I + (1 - a) W have once a is so large that its limit exceeds `omega`.
  double self_weight_for(double omega) const;

 private:
  explicit DcdLimit(NoiseFeedback feedback) : feedback_(std::move(feedback)) {}
  double gain(double a) const;

  NoiseFeedback feedback_;
  double smallest_self_weight_ = 1.0;
};

}  // namespace hearsay
