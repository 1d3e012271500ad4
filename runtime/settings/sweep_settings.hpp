#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "runtime/settings/sweep_claims.hpp"
#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// One run of a sweep: one variant with one value of every axis.
struct SweepPoint {
  std::string variant;                                     ///< the variant's name; empty if there are none
  std::vector<std::pair<std::string, std::string>> axes;   ///< key and value, as written, in the file's order
  std::vector<std::pair<std::string, std::string>> tuned;  ///< likewise, of the axes that are tuned away
  std::string tuned_folder;                                ///< a folder's name for these values
  RunSettings run;                                         ///< run.output is `folder`
  std::filesystem::path folder;  ///< SWEEP-OUTPUT/VARIANT/AXIS-VALUES, with repeats /seed-SEED; unique
  std::size_t repetition = 0;    ///< place of its seed among the seeds of the sweep
};

/// The folder of a sweep's output that its tuning gets.
inline constexpr const char* tuning_folder = "tuning";

/// An axis of sweep.tune: every variant gets, at every place on the other axes, the best of its values.
struct TunedAxis {
  std::string key;
  std::vector<std::string> values;  ///< as written
};

/// The points of a run file's [sweep]: every variant with every combination of axis values, each with every
/// seed. Variants change slowest, then the axes in their order, and seeds fastest.
struct Sweep {
  enum class Driver { run, simulate } driver = Driver::run;
  std::string baseline;  ///< the variant that the others are compared with; may be empty
  std::filesystem::path output;
  std::vector<SweepPoint> points;
  std::size_t repeats = 1;  ///< how many points in a row differ in nothing but run.seed
  /// If there are any, the points are candidates: those that differ only in `tuned` share a folder, and only
  /// one of them is to be run (see sweep_tuning.hpp).
  std::vector<TunedAxis> tuned;
  std::string title = {};               ///< its heading on a page; may be empty
  std::vector<std::string> about = {};  ///< what the page of the sweep says of it, paragraph by paragraph
  std::vector<SweepClaim> claims = {};  ///< what its results have to show
  std::vector<std::string> not_reproduced = {};  ///< sentences: what of a paper they do not show

  /// True if there is nothing to sweep over: no variants, no axes, no repeats.
  bool is_one_run() const {
    return points.size() == 1 && points.front().variant.empty() && points.front().axes.empty();
  }
};

/// Returns the sweep that a run file describes; a file without [sweep] is a sweep of one point.
///
/// The keys of a point come from the file, its variant, its axes and `assignments`; the later of these wins.
/// An assignment to "sweep.driver", "sweep.network.bandwidth" and the like changes the sweep itself.
///
/// With sweep.repeat = n every point is run with n seeds: its run.seed, run.seed + 1, ..., run.seed + n - 1.
/// "run.seed" = [3, 5, 8] in [sweep] is no axis, but lists these seeds. sweep.tune names axes that are tuned
/// away.
///
/// Throws Misuse as `load_run_file` does, and for: a variant without a name, two variants of one name, a
/// baseline that is no variant, an axis that is no key of a run file or whose value is no array, a value that
/// an axis has twice, an axis that a variant or an assignment sets too, run.name or run.output as an axis or
/// in a variant, run.seed in a variant of a sweep with repeats, a key of sweep.tune that is no axis with at
/// least two values, a claim of variants, places or figures that there are not, and more than 10,000 points.
Sweep load_sweep(const std::filesystem::path& file, const std::vector<std::string>& assignments);

/// The same from text; relative paths start at `directory`.
Sweep parse_sweep(std::string_view toml_text, const std::filesystem::path& directory,
                  const std::vector<std::string>& assignments, const std::string& file_name_for_messages);

/// Returns the keys of [sweep] for the table of all keys. The last, "sweep.KEY", stands for any key of a run
/// as an axis.
std::vector<KeyInfo> sweep_keys();

}  // namespace hearsay
