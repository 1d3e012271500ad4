#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <nlohmann/json_fwd.hpp>

#include "runtime/experiment.hpp"
#include "runtime/outcome.hpp"
#include "runtime/summary.hpp"

namespace hearsay {

/// Throws Misuse (key run.output) unless an output directory can be made at `directory`: it exists already, or what
/// should hold it is no directory that can be written to. With `overwrite` it may exist if it is empty or holds
/// outputs of earlier runs and sweeps, told by their names, and nothing else: nobody's own file is ever removed.
void require_free_output(const std::filesystem::path& directory, bool overwrite);

/// Makes the empty directory, in the place of an earlier output where `overwrite` says so; checks as above.
void create_output(const std::filesystem::path& directory, bool overwrite);

/// Which models a run leaves behind.
enum class SaveModels { mean, peers };

/// The output directory of a run, whatever its driver:
///
///     run.toml       the resolved run
///     metrics.jsonl  a line per evaluation, on disk as soon as it is known
///     model.npy      the mean model of the last evaluation; with SaveModels::peers also model-0.npy, ...
///     summary.json   how it ended
///
/// It comes into being with the first evaluation, so a run that cannot begin leaves nothing behind.
class RunDirectory {
 public:
  /// Checks only. Throws Misuse as require_free_output.
  RunDirectory(std::filesystem::path directory, bool overwrite);

  /// The next line of metrics.jsonl; `settings` are those of the experiment. Throws Misuse where the disk is full.
  void append(const RunSettings& settings, const Evaluation& evaluation);

  /// Models and summary, where there was an evaluation.
  template <class Scalar>
  void finish(const RunOutcome<Scalar>& outcome, const nlohmann::ordered_json& summary, SaveModels save);

  const std::filesystem::path& path() const { return directory_; }
  bool created() const { return metrics_.is_open(); }

 private:
  std::filesystem::path directory_;
  bool overwrite_;
  std::ofstream metrics_;
};

}  // namespace hearsay
