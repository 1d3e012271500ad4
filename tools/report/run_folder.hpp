#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "runtime/settings/run_settings.hpp"
#include "tools/report/course.hpp"

namespace hearsay {

/// What a run has left behind, or leaves behind while it goes on.
struct RunFolder {
  std::string run_file;                 ///< the text of run.toml
  std::optional<RunSettings> settings;  ///< what it says, where this program can read it
  nlohmann::ordered_json summary;       ///< null where the run has not ended, or not in good order
  Course course;                        ///< may be empty

  /// From the summary, else from the settings.
  std::optional<double> peers() const;
};

/// Holds a run.toml and a record of how it went.
bool is_run_folder(const std::filesystem::path& folder);

/// Throws Misuse where run.toml or summary.json cannot be read, or the latter is none.
RunFolder read_run_folder(const std::filesystem::path& folder);

/// The JSON of a file; throws Misuse unless it is an object.
nlohmann::ordered_json read_record(const std::filesystem::path& file);

/// The plain members of a summary, by their names there: what a page says of a run in words and tables. Of a
/// run that has not ended, what its settings and its last evaluation say; "status" is then "unfinished".
nlohmann::ordered_json facts_of(const RunFolder& run);

/// What each peer did, in columns: {"of" (how many peers there
/// are),"peer":[..],"bytes_sent":[..],"bytes_received":[..],
/// "compute_seconds":[..],"wait_seconds":[..],"wire_seconds":[..],"links":[[from, to, seconds that `to`
/// waited, bytes],..]}. Of more than 128 peers, those that waited longest; of more than 128 links, those for
/// which was waited longest. Null where nothing is known.
nlohmann::ordered_json peers_of(const nlohmann::ordered_json& summary);

}  // namespace hearsay
