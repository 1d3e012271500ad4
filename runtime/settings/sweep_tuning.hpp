#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/settings/sweep_settings.hpp"

namespace hearsay {

/// Returns the sweep that tunes another: all its candidates, the tuned axes as ordinary ones. It has as many
/// repeats as the other, at most three, with seeds that the other has not: they count on from run.seed +
/// 1,000,000. The output is OUTPUT/tuning.
///
/// Throws Misuse if a seed would be too large for a run file.
Sweep tuning_of(const Sweep& sweep);

/// The values that a variant gets on the axes that are tuned away, at one place on the other axes.
struct TunedValues {
  std::string variant;
  std::vector<std::pair<std::string, std::string>> axes;
  std::vector<std::pair<std::string, std::string>> values;
};

/// Returns the sweep with only those points that have the chosen values.
Sweep with_tuned_values(const Sweep& sweep, const std::vector<TunedValues>& chosen);

/// True if all values of the grid are numbers, and `value` is the least or the greatest.
bool is_at_the_edge(const TunedAxis& axis, const std::string& value);

}  // namespace hearsay
