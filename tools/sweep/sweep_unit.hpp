#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "tools/sweep/sweep_rows.hpp"
#include "tools/sweep/sweep_run.hpp"

namespace hearsay {

// Points of a sweep as they are handed to another process, and their rows as they come back. A point travels
// with all its settings, so whoever tries it needs neither the run file nor what it was changed by.

/// What the units of a sweep have in common.
struct SweepPlan {
  Sweep sweep;  ///< without points
  PointsAre points = PointsAre::results;
  SweepOptions options;
  std::size_t units = 0;
  std::size_t tasks = 0;  ///< that share the units
};
nlohmann::ordered_json to_json(const SweepPlan& plan);
/// Throws Misuse if it is that of another version of hearsay.
SweepPlan plan_from_json(const nlohmann::ordered_json& plan);

/// Returns the points at these places of the sweep.
nlohmann::ordered_json unit_to_json(const Sweep& sweep, std::span<const std::size_t> places);
/// Returns the points of a unit.
std::vector<SweepPoint> points_from_json(const nlohmann::ordered_json& unit);

/// Returns the rows of a unit's points, which stand in their order. `output` is that of the sweep.
nlohmann::ordered_json rows_to_json(const std::vector<SweepRow>& rows, const std::filesystem::path& output);
/// Returns the row of `point` in the rows of its unit; throws Misuse if there is none.
SweepRow row_from_json(const nlohmann::ordered_json& rows, const SweepPoint& point,
                       const std::filesystem::path& output);

}  // namespace hearsay
