#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "runtime/settings/run_settings.hpp"
#include "tools/report/course.hpp"

namespace hearsay {

/// The output directory of a run that has ended, or that still goes on.
struct RunFolder {
  std::string run_file;                        ///< the text of run.toml
  std::optional<RunSettings> settings;         ///< its content; empty if this program cannot read it
  nlohmann::ordered_json summary;              ///< null if the run has not ended, or not in good order
  Course course;                               ///< may be empty
  Course consensus = {};                       ///< the lines of consensus.jsonl; may be empty
  nlohmann::ordered_json beginning = nullptr;  ///< the provenance of a run that has not ended; may be null
  nlohmann::ordered_json influence = nullptr;  ///< what `hearsay influence` has told of it; may be null
  std::string defect;  ///< what of the record cannot be read, a sentence; empty if all can

  /// Returns the number of peers from the summary, else from the settings; empty if neither is known.
  std::optional<double> peers() const;
};

/// True if the folder holds a run.toml and a record of the run.
bool is_run_folder(const std::filesystem::path& folder);

/// Throws Misuse if run.toml or summary.json cannot be read, if summary.json is no summary, or if a file of
/// the record was changed after it was written.
RunFolder read_run_folder(const std::filesystem::path& folder);

/// Returns the JSON of a file. Throws Misuse unless it is an object, and as it was written.
nlohmann::ordered_json read_record(const std::filesystem::path& file);

/// Returns the members of a summary that are plain values, by their names, its "hub_port" and its
/// "round_deadline": what a page says of a run in words and tables. For a run that has not ended, the
/// settings and the last evaluation give them, and "status" is "unfinished".
nlohmann::ordered_json facts_of(const RunFolder& run);

/// Returns what influence.json in the folder of a run tells, with at most 20 samples in a list; null if there
/// is none, or none of this version.
nlohmann::ordered_json influence_in(const std::filesystem::path& folder);

}  // namespace hearsay
