#pragma once

#include <optional>
#include <span>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// The future of a loss that had not reached its target when the observation ended.
struct LossOutlook {
  /// The iteration at which the loss reaches the target; empty if the loss levels off above it.
  std::optional<double> iterations;
  double floor = 0.0;  ///< limit of the loss; minus infinity if it goes on falling
};

/// Extrapolates the loss from the second half of the evaluations. That half is cut into three parts of equal
/// length with mean losses a, b, c (means, since single losses are noisy). The loss is assumed to fall by q =
/// (b - c) / (a - b) times as much in each part as in the part before, so it levels off at c - (b - c) q / (1
/// - q). If q is not below 1, the loss is assumed to go on falling by b - c per part.
///
/// Empty if the second half has fewer than three evaluations, or if it has fewer than six and the loss seems
/// to level off.
std::optional<LossOutlook> outlook(std::span<const Evaluation> evaluations, double target);

}  // namespace hearsay
