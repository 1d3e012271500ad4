#pragma once

#include <optional>

#include "algorithms/compression/typical_omega.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/stability/noise_feedback.hpp"

namespace hearsay {

/// Which consensus steps gamma of a compressed method are stable on W, in mean square and without gradients: those at which
/// the noise that comes back (NoiseFeedback, with the response of the method's GossipModel) is weaker than the noise that went
/// out,
///
///     noise * largest eigenvalue of K < 1.
///
/// A model: it takes the compressor's noise for independent between peers, coordinates and rounds, which random rounding is,
/// and top-k, whose error is largest where it was largest before, is not.
class ConsensusLimit {
 public:
  /// Nothing where the method has no such model, W is not symmetric, or its eigenvectors would cost seconds.
  static std::optional<ConsensusLimit> of(const MixingMatrix& mixing, const MethodInfo& method);

  bool stable(const MethodOptions& options, const LinearError& error) const;
  /// From which consensus step on it is not, to three digits, between 0.0001 and 8; 0 where not even the smallest is stable.
  double largest_step(MethodOptions options, const LinearError& error) const;

 private:
  ConsensusLimit(NoiseFeedback feedback, const MethodInfo& method)
      : feedback_(std::move(feedback)), method_(&method) {}

  NoiseFeedback feedback_;
  const MethodInfo* method_;
};

}  // namespace hearsay
