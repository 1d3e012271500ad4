#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/settings/sweep_settings.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/training/training.hpp"

namespace hearsay {

/// A point of a sweep that was tried.
struct SweepRow {
  /// Refused, unless more is said of it.
  explicit SweepRow(const SweepPoint& tried);

  const SweepPoint* point;
  std::string settings;            ///< a mark that tells the point's settings from others
  std::string status = "refused";  ///< or a run's
  int exit_code = exit_misuse;
  std::string note = {};                                       ///< why it failed, or what it was warned of
  nlohmann::ordered_json summary = nullptr;                    ///< null where it was refused
  double speed_up = std::numeric_limits<double>::quiet_NaN();  ///< over the baseline's time to the target

  /// Null where the summary has no such key.
  nlohmann::ordered_json value(const char* key) const;
  /// NaN where the summary has no such number.
  double number(const char* key) const;
};

/// How much sooner the target was reached than by the baseline at the same values of the axes.
void compare_with_baseline(const std::string& baseline, std::vector<SweepRow>& rows);

/// The content of sweep.json.
nlohmann::ordered_json record_of(const Sweep& sweep, const std::vector<SweepRow>& rows, SlowedBy network);

/// The rows of an earlier sweep into the same output, on the same driver and network, that had come to their
/// end with the settings that the points have now: they need not be tried again. None where there was no
/// sweep.
std::vector<SweepRow> finished_rows(const Sweep& sweep, SlowedBy network);

std::string table_of(const Sweep& sweep, const std::vector<SweepRow>& rows);

}  // namespace hearsay
