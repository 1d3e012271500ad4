#pragma once

#include <optional>

#include "algorithms/compression/typical_omega.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/stability/noise_feedback.hpp"

namespace hearsay {

/// The consensus steps gamma at which a compressed method is stable on W, in mean square and without
/// gradients. At these steps the noise that feeds back is weaker than the noise that was made (NoiseFeedback
/// with the response of the method's GossipModel),
///
///     noise * largest eigenvalue of K < 1.
///
/// This is a model: it assumes that the noise of the compressor is independent between peers, coordinates and
/// rounds. That holds for random rounding. It does not hold for top-k, whose error is largest in the
/// coordinates in which it was largest before.
class ConsensusLimit {
 public:
  /// Returns the limit on W. Empty if the method has no GossipModel, W is not symmetric, n = 1, or the limit
  /// would cost seconds: for more than 48 peers if they are not alike, for more than 1024 if W is not
  /// circulant, for more than 4096 in any case.
  static std::optional<ConsensusLimit> of(const MixingMatrix& mixing, const MethodInfo& method);

  bool stable(const MethodOptions& options, const LinearError& error) const;
  /// Returns the largest stable consensus step to three digits, between 0.0001 and 8. 0 if not even 0.0001 is
  /// stable.
  double largest_step(MethodOptions options, const LinearError& error) const;

 private:
  ConsensusLimit(NoiseFeedback feedback, const MethodInfo& method)
      : feedback_(std::move(feedback)), method_(&method) {}

  NoiseFeedback feedback_;
  const MethodInfo* method_;
};

}  // namespace hearsay
