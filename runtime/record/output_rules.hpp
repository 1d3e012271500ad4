#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hearsay {

// What is decided about the output directory of a run, by what stands there: whether a run may have it, what
// it may replace, and whether it goes on with an earlier run. Pure: run_directory.hpp and earlier_record.hpp
// look, and then do it.

/// The folder in the output of a sweep from which the tasks of an array job take points. No variant has a
/// folder whose name begins with a dot.
inline constexpr std::string_view task_folder = ".slurm";

/// True if `file` is the name of a file that a run or a sweep leaves in its directory.
bool is_output_file(std::string_view file);
/// True if a folder of this name with these files and `folders` folders holds outputs only, if its folders
/// do, so that it may be removed. False for a single run.toml, which may be a user's own run file.
bool is_output_folder(std::string_view name, std::span<const std::string> files, std::size_t folders);

/// What stands where an output directory is to be.
struct OutputSite {
  enum class Kind { nothing, folder, file, link_to_nothing };
  Kind kind = Kind::nothing;
  // Of a folder:
  bool holds_metrics = false;
  bool holds_summary = false;
  bool holds_sweep = false;  ///< its points can be kept
  bool is_output = false;    ///< is_output_folder, it and all folders in it; asked for with `overwrite` only
};
/// Returns why a run may not have it, in a clause; empty if it may.
std::optional<std::string> why_not_free(const OutputSite& site, bool overwrite);

// An earlier run. `status`: what its summary says; empty if there is no summary that says one.

/// True if the run did not come to its end, though it has a summary.
bool was_cut_off(std::string_view status);
/// True if it came to its end.
bool has_ended(std::string_view status);
/// True if a run may have written `file` before its first evaluation.
bool is_of_a_beginning(std::string_view file);
/// True if a run that has written such files alone is begun anew where it would be gone on with.
/// `has_a_line`: of metrics.jsonl.
bool may_begin_anew(bool has_summary, std::string_view status, bool has_a_line);

/// A file of lines, of which the summary tells the checksum.
struct RecordFile {
  bool is_there = false;
  bool is_told = false;  ///< the summary tells the checksum of lines in it
};
struct RecordFiles {
  RecordFile metrics, consensus, index;
  bool metrics_have_checksums = false;  ///< they are of a version that makes consensus.jsonl before them
  bool has_models_of_index = false;     ///< models were kept whose lines are older than the last evaluation
};
/// Which file is gone that the run wrote. A run that was killed has no summary that would say so.
enum class GoneFile { none, metrics, consensus, index };
GoneFile gone_file(const RecordFiles& files);

}  // namespace hearsay
