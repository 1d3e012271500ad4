#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/directory_lock.hpp"
#include "runtime/foundation/line_file.hpp"
#include "runtime/foundation/notice.hpp"
#include "runtime/record/line_checksum.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/summary.hpp"

namespace hearsay {

/// Returns the longest part of the path that exists.
std::filesystem::path existing_part(std::filesystem::path path);

/// Throws Misuse (key run.output) unless an output directory can be made at `directory`. It must not exist,
/// and its nearest existing parent must be a writable directory. With `overwrite` it may exist if it is empty
/// or holds only outputs of earlier runs and sweeps, recognized by their names: a user's own file is never
/// removed.
void require_free_output(const std::filesystem::path& directory, bool overwrite);

/// Makes the empty directory after the same checks. With `overwrite` it replaces an earlier output.
void create_output(const std::filesystem::path& directory, bool overwrite);

/// Which models a run leaves behind.
enum class SaveModels { mean, peers };

/// What is done with an output directory that exists already.
enum class EarlierOutput {
  refused,
  replaced,
  continued,  ///< the run goes on where the earlier run ended; it begins if no evaluation was made
  /// The run is a point of a sweep, which has looked at the folder of all its points, and empties it before
  /// the first of them writes. A point that looked in there meanwhile would be in the way.
  left_to_the_sweep,
};

/// The output directory of a run, whatever its driver:
///
///     run.toml         the resolved run
///     metrics.jsonl    a line per evaluation, written before any peer learns the verdict
///     consensus.jsonl  a line per evaluation: how far each peer's model is from their mean, or the hub's
///     model.npy        the mean (or the hub's) model of the last evaluation, or of the best (run.keep); with
///                      SaveModels::peers also model-0.npy, ..., all of the last evaluation. Under
///                      run.evaluate = "own" only model-0.npy, ..., each written by its peer, on its host
///     model-best-120.npy   if the run can be resumed and keeps the best: the best so far, of iteration 120
///     summary.json     how it ended
///     provenance.json  who began the run, until summary.json says so: a run that was cut off has it
///     models/          under run.keep_models: the models of earlier iterations, and index.jsonl
///     per-peer/        with --per-peer: what is recorded of every peer, in columns
///     checkpoints/     the peers' checkpoints, if failure.checkpoint_every is set
///
/// It is made when the run starts, so a run that cannot begin leaves nothing behind.
class RunDirectory {
 public:
  /// Checks, and locks a directory that exists already; makes none. Throws Misuse as `require_free_output`
  /// does. With EarlierOutput::continued it throws Misuse if there is an output without a record, or with one
  /// that was changed after it was written, as `earlier_record` does.
  RunDirectory(std::filesystem::path directory, EarlierOutput earlier, Notice notice = no_notice);

  /// Returns the earlier run's evaluations; empty unless the run goes on where that one ended.
  const std::optional<std::vector<Evaluation>>& record() const { return record_; }

  /// True if the earlier run came to its end, and was not cut off.
  bool has_ended() const { return has_ended_; }

  /// Makes the directory and writes run.toml from `settings`, those of the experiment. If an earlier run is
  /// continued, removes its lines from iteration `first` on. Call it before a peer writes a checkpoint; and
  /// again if this run goes back to an earlier iteration. Throws Misuse if the directory cannot be made.
  void begin(const RunSettings& settings, std::uint64_t first);

  /// Appends a line to metrics.jsonl and one to consensus.jsonl; calls `begin` first, if nobody has. If the
  /// disk is full, lines wait in memory until there is room; a notice says so once.
  void append(const RunSettings& settings, const Evaluation& evaluation);

  /// Writes `provenance` to provenance.json when the directory is made, or the earlier run goes on. Must be
  /// called before `begin`.
  void note_beginning(const nlohmann::ordered_json& provenance);

  /// Writes models that run.keep_models keeps (kept_models.hpp). If that fails, a notice says so.
  template <class Scalar>
  void keep(const RunSettings& settings, const ModelSet& models);

  /// Writes the best model so far to a file of its own, so that a resumed run still has it. If that fails, a
  /// notice says so.
  template <class Scalar>
  void keep_best(const KeptModel& best);
  /// Returns the newest best model that the earlier run has kept of an evaluation in its record; empty if
  /// there is none.
  template <class Scalar>
  std::optional<KeptModel> kept_best() const;

  /// Writes the models in which the run has ended; does nothing if there was no evaluation. Throws Misuse if
  /// they cannot be written.
  template <class Scalar>
  void save_models(const RunOutcome<Scalar>& outcome, SaveModels save);
  /// Writes what is recorded of every peer into the folder per-peer (column_files.hpp); does nothing if there
  /// was no evaluation. Throws Misuse if it cannot be written.
  void save_peers(const std::vector<PeerOutcome>& peers);
  /// Writes the summary, which marks the record as complete, after the models; does nothing if there was no
  /// evaluation. Throws Misuse if it, or lines that wait, cannot be written.
  void finish(const nlohmann::ordered_json& summary);

  const std::filesystem::path& path() const { return directory_; }
  bool created() const { return metrics_.is_open(); }

 private:
  std::filesystem::path directory_;
  EarlierOutput earlier_;
  Notice notice_;
  std::optional<DirectoryLock> lock_;
  std::optional<std::vector<Evaluation>> record_;
  bool has_ended_ = false;
  LineFile metrics_;
  LineFile consensus_;
  LineChecksum metrics_checksum_;
  LineChecksum consensus_checksum_;
  LineChecksum models_checksum_;  ///< of models/index.jsonl
  std::string provenance_;        ///< the text of provenance.json; may be empty
  bool said_that_it_waits_ = false;
};

}  // namespace hearsay
