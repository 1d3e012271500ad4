#pragma once

#include <optional>

#include "algorithms/stability/noise_feedback.hpp"

namespace hearsay {

/// DCD-PSGD's mean-square limit on W: the relative variance omega of compression noise, independent between
/// peers, below which consensus is stable and above which it is unstable. At the limit,
///
///     M -> W M W + omega Diag((W - I) M (W - I))      on the consensus subspace
///
/// has spectral radius 1. In terms of NoiseFeedback: the noise of one round appears t rounds later as (W - I)
/// W^t noise in the difference that is compressed, so that
///
///     s_kl = (1 - lambda_k)(1 - lambda_l) / (1 - lambda_k lambda_l),
///
/// and if all peers are alike the limit is n / sum_{k>=2} (1 - lambda_k) / (1 + lambda_k).
class DcdLimit {
 public:
  /// The limit on W; nothing if W is not symmetric, or if the limit would cost seconds: for more than 128
  /// peers if they are not alike, for more than 1024 if W is not circulant.
  static std::optional<DcdLimit> of(const MixingMatrix& mixing);

  /// The limit on a I + (1 - a) W. Infinite for n = 1, 0 if gossip does not converge at all.
  double omega(double a = 0.0) const;

  /// The smallest self weight in a I + (1 - a) W for the smallest a at which its limit exceeds `omega`.
  double self_weight_for(double omega) const;

 private:
  explicit DcdLimit(NoiseFeedback feedback) : feedback_(std::move(feedback)) {}
  double gain(double a) const;

  NoiseFeedback feedback_;
  double smallest_self_weight_ = 1.0;
};

}  // namespace hearsay
