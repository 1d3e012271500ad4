#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hearsay {

/// The output directories that a report is of, each in the order in which they were given.
struct ReportedFolders {
  std::vector<std::filesystem::path> runs;
  std::vector<std::filesystem::path> sweeps;
};

/// Throws Misuse if a folder holds neither a run nor a sweep, or is given twice.
ReportedFolders reported_folders(const std::vector<std::filesystem::path>& folders);

/// Returns the last name in the path of a folder: "first" for runs/first, and for "." inside of it.
std::string name_of(const std::filesystem::path& folder);

}  // namespace hearsay
