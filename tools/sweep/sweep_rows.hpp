#pragma once

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/settings/sweep_settings.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/training/training.hpp"

namespace hearsay {

/// How the note of a candidate begins that was not tried, since it diverged on another network.
inline constexpr std::string_view as_on_another_network = "as on another network: ";

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
  /// The time of the baseline to the target over the time of this point, with the same seed.
  double speed_up = std::numeric_limits<double>::quiet_NaN();

  /// Takes the summary of the point's run, without what each peer did: sweeps have thousands of points.
  void take(nlohmann::ordered_json of_the_run);
  /// Returns the member `key` of the summary; null if there is none.
  nlohmann::ordered_json value(const char* key) const;
  /// Returns the number `key` of the summary; NaN if there is none.
  double number(const char* key) const;
};

/// Fills in `speed_up` of every row: the time of the baseline to the target, at the same values of the axes
/// and with the same seed, over the time of the row.
void compare_with_baseline(const std::string& baseline, std::vector<SweepRow>& rows);

/// Returns the content of sweep.json.
nlohmann::ordered_json record_of(const Sweep& sweep, const std::vector<SweepRow>& rows, SlowedBy network);

/// True if the output holds a sweep that --resume can go on with.
bool holds_a_sweep(const std::filesystem::path& output);

/// True if `only`, the variants of --only, names that of the point, or is empty.
bool is_chosen(const SweepPoint& point, const std::vector<std::string>& only);

/// What --resume finds of an earlier sweep into the same output.
struct EarlierResults {
  /// Of points that need not be tried again, since they ended (done, target or diverged) on the same driver
  /// and network with the present settings of their point, and of points that are not tried now.
  std::vector<SweepRow> kept;
  std::size_t outdated = 0;  ///< how many points are tried again, since their settings are others now
};

/// Returns what is left of an earlier sweep; nothing if there was none. If that sweep had no repeats and this
/// one has, each of its results moves into the folder of the repetition with its seed.
///
/// Throws Misuse if results would be lost: if that sweep had more repeats, or none and other settings, or if
/// a variant that is not tried now had other settings.
EarlierResults earlier_results(const Sweep& sweep, SlowedBy network, const std::vector<std::string>& only);

}  // namespace hearsay
