#pragma once

#include <span>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// The future of a loss that had not reached its target when the observation ended.
struct LossOutlook {
  enum class Trend {
    untold,   ///< too few evaluations to tell
    level,    ///< it does not fall any more
    falling,  ///< then the iterations below say when the target is reached
  } trend = Trend::untold;
  double level = 0.0;     ///< mean of the last evaluations
  double soonest = 0.0;   ///< iteration of the target if the loss goes on falling as fast as at the end
  double expected = 0.0;  ///< the same if it falls by the same factor per iteration toward some limit
  double latest = 0.0;    ///< the same if it falls as slowly as minus a logarithm
};

/// Extrapolates the loss from the second half of the evaluations. That half is cut into three parts of equal
/// length with mean iterations t_a, t_b, t_c and mean losses a, b, c (means, since single losses are noisy).
/// With q = (b - c) / (a - b), the loss at t after c is
///
///     soonest    c - (b - c) (t - t_c) / (t_c - t_b)
///     expected   c - (b - c) (q + q^2 + ... ), a term per part;  at worst c - (b - c) q / (1 - q)
///     latest     c - (b - c) log(t / t_c) / log(t_c / t_b)
///
/// A slow tail is no plateau: if the second never reaches the target, the third is expected; if q is not
/// below 1, the first. The trend is untold if the second half has fewer than three evaluations, or if it has
/// fewer than six and the loss does not fall.
LossOutlook outlook(std::span<const Evaluation> evaluations, double target);

}  // namespace hearsay
