#pragma once

#include <optional>
#include <span>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Where a loss is heading that did not reach its target while it was watched.
struct LossOutlook {
  std::optional<double> iterations;  ///< when it gets to the target; nothing where it levels off above
  double floor = 0.0;                ///< where it levels off; as good as never reached
};

/// From the second half of the evaluations, in three parts of equal length whose mean losses are a, b, c:
/// what it falls by goes on shrinking by q = (b - c) / (a - b) from part to part, so it levels off at c - (b
/// - c) q / (1 - q). Where q is not below 1 it goes on falling by b - c. (Means, since single losses are
/// noisy.) Nothing where that half has fewer than three evaluations, or fewer than six and the loss seems to
/// level off.
std::optional<LossOutlook> outlook(std::span<const Evaluation> evaluations, double target);

}  // namespace hearsay
