#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/report/run_folder.hpp"

namespace hearsay {

/// A run as other programs are to know it: of a folder that was given, or a point of a sweep.
struct ExportedRun {
  std::filesystem::path folder;  ///< its output directory
  std::string
      place;  ///< a relative path that no other run of the export has: "first", "slow-network/dcd/1-ms"
  std::string variant;  ///< empty if it is no point of a sweep with variants
  std::vector<std::pair<std::string, std::string>> axes;  ///< key and value, as they are written in the sweep
  nlohmann::ordered_json tried;  ///< what sweep.json says of the point; an empty object for other runs
  RunFolder run;                 ///< without settings, summary and course if the point left no output
};

/// Returns the runs in these folders: first those that were given, then the points of each sweep. Throws
/// Misuse if a folder holds neither a run nor a sweep, or cannot be read.
std::vector<ExportedRun> exported_runs(const std::vector<std::filesystem::path>& folders);

}  // namespace hearsay
