#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tools/export/exported_run.hpp"

namespace hearsay {

/// Throws Misuse unless `write_tensorboard` may write these runs into the folder: it is there or can be
/// made, and has no event files where theirs are to be, except those of an earlier export with `overwrite`.
void require_free_for_tensorboard(const std::filesystem::path& folder, const std::vector<ExportedRun>& runs,
                                  bool overwrite);

/// Writes an event file for each run that has evaluations, in a folder of its own below `folder`: its
/// scalars by iteration, at the wall time of the evaluation (for a run in virtual time, its start plus
/// virtual seconds). `host` stands in the names of the files. Returns how many were written.
std::size_t write_tensorboard(const std::filesystem::path& folder, const std::vector<ExportedRun>& runs,
                              const std::string& host);

}  // namespace hearsay
