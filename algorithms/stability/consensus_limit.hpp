#pragma once

#include <optional>

#include "algorithms/compression/typical_omega.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/stability/noise_feedback.hpp"

namespace hearsay {

/// The consensus steps gamma at which a compressed method is stable on W, in mean square and without
/// gradients. At these steps the noise that comes back (NoiseFeedback, with the response of the method's
/// GossipModel) is weaker than the noise that went out,
///
///     noise * largest eigenvalue of K < 1.
///
/// This is a model: it assumes that the compressor's noise is independent between peers, coordinates and
/// rounds. That holds for random rounding, but not for top-k, whose error is largest where it was largest
/// before.
class ConsensusLimit {
 public:
  /// The limit on W; nothing if the method has no such model, W is not symmetric, or its eigenvectors would
  /// cost seconds.
  static std::optional<ConsensusLimit> of(const MixingMatrix& mixing, const MethodInfo& method);

  bool stable(const MethodOptions& options, const LinearError& error) const;
  /// The largest stable consensus step to three digits, between 0.0001 and 8; 0 if not even the smallest is
  /// stable.
  double largest_step(MethodOptions options, const LinearError& error) const;

 private:
  ConsensusLimit(NoiseFeedback feedback, const MethodInfo& method)
      : feedback_(std::move(feedback)), method_(&method) {}

  NoiseFeedback feedback_;
  const MethodInfo* method_;
};

}  // namespace hearsay
