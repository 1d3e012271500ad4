#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// One run of a sweep: a variant at one value of every axis.
struct SweepPoint {
  std::string variant;                                    ///< its name; empty where there are no variants
  std::vector<std::pair<std::string, std::string>> axes;  ///< key and value, as written, in the file's order
  RunSettings run;                                        ///< run.output is `folder`
  std::filesystem::path folder;                           ///< SWEEP-OUTPUT/VARIANT/AXIS-VALUES, of its own
};

/// The points of a run file's [sweep]: variants x axes, variants outermost, the last axis changing fastest.
struct Sweep {
  enum class Driver { run, simulate } driver = Driver::run;
  std::string baseline;  ///< the variant others are compared with; may be empty
  std::filesystem::path output;
  std::vector<SweepPoint> points;
};

/// A run file with its [sweep]; a file without one is a sweep of one point.
///
/// A point is the file's run, then its variant's keys, then its axes' values, then `assignments`; of these
/// the later wins. An assignment to "sweep.driver", "sweep.network.bandwidth" and the like changes the sweep
/// itself.
///
/// Misuse as `load_run_file`, and: a variant without a name, two of one name, a baseline that is no variant,
/// an axis that is no key of a run file or no array, a value twice on one axis, a key that is an axis and
/// also set by a variant or an assignment.
Sweep load_sweep(const std::filesystem::path& file, const std::vector<std::string>& assignments);

/// The same from text; relative paths start at `directory`.
Sweep parse_sweep(std::string_view toml_text, const std::filesystem::path& directory,
                  const std::vector<std::string>& assignments, const std::string& file_name_for_messages);

/// The keys of [sweep], for the reference of keys; the last is any key of a run, which is an axis there.
std::vector<KeyInfo> sweep_keys();

}  // namespace hearsay
