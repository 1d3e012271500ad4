#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/directory_lock.hpp"
#include "runtime/foundation/line_file.hpp"
#include "runtime/foundation/notice.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/summary.hpp"

namespace hearsay {

/// Throws Misuse (key run.output) unless an output directory can be made at `directory`: it exists already,
/// or what should hold it is no directory that can be written to. With `overwrite` it may exist if it is
/// empty or holds outputs of earlier runs and sweeps, told by their names, and nothing else: nobody's own
/// file is ever removed.
void require_free_output(const std::filesystem::path& directory, bool overwrite);

/// Makes the empty directory, in the place of an earlier output where `overwrite` says so; checks as above.
void create_output(const std::filesystem::path& directory, bool overwrite);

/// Which models a run leaves behind.
enum class SaveModels { mean, peers };

/// What becomes of an output that is there already.
enum class EarlierOutput {
  refused,
  replaced,
  continued,  ///< the run goes on where that one ended
};

/// The output directory of a run, whatever its driver:
///
///     run.toml       the resolved run
///     metrics.jsonl  a line per evaluation, on disk as soon as it is known, and before any peer hears of it
///     model.npy      the mean model of the last evaluation; with SaveModels::peers also model-0.npy, ...
///     summary.json   how it ended
///     checkpoints/   what its peers need to come back, where failure.checkpoint_every says so
///
/// It comes into being with the first evaluation, so a run that cannot begin leaves nothing behind.
class RunDirectory {
 public:
  /// Checks only. Throws Misuse as require_free_output; or, where the run is to go on, unless there is one to
  /// go on with.
  RunDirectory(std::filesystem::path directory, EarlierOutput earlier, Notice notice = no_notice);

  /// The evaluations so far, of a run that goes on.
  const std::optional<std::vector<Evaluation>>& record() const { return record_; }

  /// The next line of metrics.jsonl; `settings` are those of the experiment. In a run that goes on, lines
  /// from this evaluation's iteration on are replaced. Where the disk becomes full, lines wait in memory
  /// until there is room; that is said once. Throws Misuse where the directory cannot be made.
  void append(const RunSettings& settings, const Evaluation& evaluation);

  /// Models and summary, where there was an evaluation. Throws Misuse where they, or lines that wait, cannot
  /// be written.
  template <class Scalar>
  void finish(const RunOutcome<Scalar>& outcome, const nlohmann::ordered_json& summary, SaveModels save);

  const std::filesystem::path& path() const { return directory_; }
  bool created() const { return metrics_.is_open(); }

 private:
  std::filesystem::path directory_;
  EarlierOutput earlier_;
  Notice notice_;
  std::optional<DirectoryLock> lock_;
  std::optional<std::vector<Evaluation>> record_;
  RecordFile metrics_;
  bool said_that_it_waits_ = false;

  void begin(const RunSettings& settings, const Evaluation& first);
};

}  // namespace hearsay
