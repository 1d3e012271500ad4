#pragma once

#include <filesystem>
#include <vector>

#include "tools/export/csv_table.hpp"
#include "tools/export/exported_run.hpp"

namespace hearsay {

/// Returns a row per evaluation: folder, run, variant, the axes of the sweep, seed, then what metrics.jsonl
/// says. An axis whose value is a bandwidth, a time or a share has a second column in numbers, with the unit
/// in its name: "network.latency" is "5 ms", and "network.latency_s" is 0.005.
CsvTable evaluation_table(const std::vector<ExportedRun>& runs);

/// Returns a row per run: the same first columns, then what summary.json says of the whole run, and
/// sweep.json of its point. Of a run that has not ended, the settings and the last evaluation.
CsvTable run_table(const std::vector<ExportedRun>& runs);

/// Throws Misuse unless `write_csv` may write into this folder: it is there or can be made, and holds
/// neither of the two files, except those of an earlier export with `overwrite`.
void require_free_for_csv(const std::filesystem::path& folder, bool overwrite);

/// Writes evaluations.csv and runs.csv. Makes the folder.
void write_csv(const std::filesystem::path& folder, const CsvTable& evaluations, const CsvTable& runs);

}  // namespace hearsay
