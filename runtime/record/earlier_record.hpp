#pragma once

#include <filesystem>
#include <vector>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// What an earlier run has left in its output directory.
struct EarlierRecord {
  std::vector<Evaluation> evaluations = {};  ///< up to a line that was cut off
  bool has_ended = false;                    ///< the run came to its end, and was not cut off
};

/// Reads it for a run that goes on with it. Throws Misuse if a file is gone, was changed after it was
/// written, or lacks lines at its end; and if there is no evaluation, unless the directory holds nothing, or
/// only what a run writes before its first one.
EarlierRecord earlier_record(const std::filesystem::path& directory);

/// Returns the evaluations alone, which the run that writes the record reads again when it goes back.
std::vector<Evaluation> recorded_evaluations(const std::filesystem::path& directory);

}  // namespace hearsay
