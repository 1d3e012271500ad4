#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/settings/sweep_settings.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/training/training.hpp"

namespace hearsay {

/// The result of a point of a sweep that was tried.
struct SweepRow {
  /// Counts as refused until `status` is set.
  explicit SweepRow(const SweepPoint& tried);

  const SweepPoint* point;
  std::string settings;            ///< digest of the point's settings without its output
  std::string status = "refused";  ///< or the status of the run
  int exit_code = exit_misuse;
  std::string note = {};                     ///< why it failed, or its warnings
  nlohmann::ordered_json summary = nullptr;  ///< null if the point was refused
  /// The time of the baseline to the target over the time of this point.
  double speed_up = std::numeric_limits<double>::quiet_NaN();

  /// Returns the member `key` of the summary; null if there is none.
  nlohmann::ordered_json value(const char* key) const;
  /// Returns the number `key` of the summary; NaN if there is none.
  double number(const char* key) const;
};

/// Fills in `speed_up` of every row: the time of the baseline to the target, at the same values of the axes,
/// over the time of the row.
void compare_with_baseline(const std::string& baseline, std::vector<SweepRow>& rows);

/// Returns the content of sweep.json.
nlohmann::ordered_json record_of(const Sweep& sweep, const std::vector<SweepRow>& rows, SlowedBy network);

/// Returns the rows of an earlier sweep into the same output that need not be tried again: those that ended
/// (done, target or diverged) on the same driver and network with the present settings of their point. Empty
/// if there was no sweep.
std::vector<SweepRow> finished_rows(const Sweep& sweep, SlowedBy network);

std::string table_of(const Sweep& sweep, const std::vector<SweepRow>& rows);

}  // namespace hearsay
