#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/statistics/estimate.hpp"
#include "tools/sweep/sweep_rows.hpp"

namespace hearsay {

/// The repetitions of a variant at one place on the axes, and what they say together.
struct SweepCell {
  std::vector<const SweepRow*> rows;  ///< those that were tried, at least one, in the order of the seeds
  Estimate speed_up;  ///< of the time to the target against the baseline's, over the seeds that both have

  const SweepPoint& point() const { return *rows.front()->point; }
  /// Returns the estimate of a number of the summaries. It is of the repetitions that ended well and have
  /// that number: a run that diverged or missed the target has no seconds to the target.
  Estimate figure(const char* key) const;
  /// Returns how many repetitions ended as a run should: at the target, or after all iterations.
  std::size_t ended_well() const;
};

/// Returns a cell for every variant at every place where there is a row. `rows` are in the order of the
/// points, and outlive the cells.
std::vector<SweepCell> cells_of(const Sweep& sweep, const std::vector<SweepRow>& rows);

/// Returns the cells as they stand in sweep.json:
///
///     {"variant", "axes", "tuned", "statuses":{"target":9,"diverged":1},
///      "figures":{"loss":{"mean","deviation","low","high","count":9,"of":10}, ..}}
///
/// "count" says how many repetitions a figure is of, "of" how many were tried. What is not known is null. Of
/// the speed-up, "mean" and "deviation" are geometric (see `estimate_ratio`).
nlohmann::ordered_json record_of(const std::vector<SweepCell>& cells);

}  // namespace hearsay
