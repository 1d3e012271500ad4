#pragma once

#include <optional>
#include <utility>

#include "algorithms/stability/noise_feedback.hpp"

namespace hearsay {

/// DCD-PSGD's mean-square limit on W: a relative variance omega of compression noise, independent between
/// peers. Consensus is stable below the limit and unstable above. At the limit,
///
///     M -> W M W + omega Diag((W - I) M (W - I))      on the consensus subspace
///
/// has spectral radius 1. In terms of NoiseFeedback: noise of one round appears in the compressed difference
/// t rounds later as (W - I) W^t noise, so that
///
///     s_kl = (1 - lambda_k)(1 - lambda_l) / (1 - lambda_k lambda_l),
///
/// and if all peers are alike (a vertex-transitive graph) the limit is n / sum_{k>=2} (1 - lambda_k) / (1 +
/// lambda_k).
class DcdLimit {
 public:
  /// Returns the limit on W. Empty if W is not symmetric, or if the limit would cost seconds: for more than
  /// 128 peers if they are not alike, for more than 1024 if W is not circulant.
  static std::optional<DcdLimit> of(const MixingMatrix& mixing);

  /// Returns the limit on a I + (1 - a) W. Infinite for n = 1, 0 if gossip does not converge.
  double omega(double a = 0.0) const;

  /// Returns the smallest self weight of a I + (1 - a) W, with the smallest a at which the limit exceeds
  /// `omega`.
  double self_weight_for(double omega) const;

 private:
  explicit DcdLimit(NoiseFeedback feedback) : feedback_(std::move(feedback)) {}
  double gain(double a) const;

  NoiseFeedback feedback_;
  double smallest_self_weight_ = 1.0;
};

}  // namespace hearsay
