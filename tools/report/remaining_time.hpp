#pragma once

#include <cstdint>
#include <optional>

#include "tools/report/course.hpp"

namespace hearsay {

/// How long a run that goes on still takes, in real seconds.
struct RemainingTime {
  double to_last_iteration = 0.0;
  /// Until the loss reaches the target, if it goes on falling by the same factor in every iteration as over
  /// the last half of the run. Empty without a target, or if that is not before the last iteration.
  std::optional<double> to_target;
};

/// Returns the time from the last evaluation of `course` on. `elapsed` is how long it took from iteration
/// `from` to there. Empty before the first evaluation after `from`.
std::optional<RemainingTime> remaining_time(const Course& course, std::uint64_t from,
                                            std::uint64_t iterations, std::optional<double> target_loss,
                                            double elapsed);

}  // namespace hearsay
