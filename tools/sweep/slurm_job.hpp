#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hearsay {

/// A task of an array job, as squeue tells.
struct SlurmTask {
  std::size_t number = 0;
  std::string state;   ///< "RUNNING", "NODE_FAIL"
  std::string reason;  ///< why it waits or has ended: "Resources", "TimeLimit"
  std::string node;    ///< may be empty

  /// True if it runs no more, and Slurm will not start it again.
  bool has_ended() const;
};

/// Returns the tasks of the lines that squeue prints in the format of SlurmJob; other lines are skipped.
std::vector<SlurmTask> slurm_tasks(const std::string& printed);

/// Returns the words of a command line, as a shell reads them. Throws Misuse, which names `option`, if a
/// quote is not closed, say.
std::vector<std::string> shell_words(const std::string& option, const std::string& text);

/// An array job of Slurm. It is begun with scontrol, asked about with squeue, and ended with scancel.
class SlurmJob {
 public:
  /// `name` is what `sbatch --parsable` prints: the number of the job, and behind a semicolon its cluster, if
  /// there are several.
  explicit SlurmJob(std::string name);

  const std::string& name() const { return name_; }
  /// The number of the job.
  std::string id() const { return name_.substr(0, name_.find(';')); }

  /// Returns the tasks that Slurm knows; none if it has forgotten the job, which it does some minutes after
  /// its end. Empty, with the reason in `defect`, if Slurm does not answer.
  std::optional<std::vector<SlurmTask>> tasks(std::string& defect) const;

  /// Lets its tasks begin. Throws Misuse, which names the option --slurm, if that fails.
  void release() const;
  /// Ends its tasks.
  void cancel() const;
  /// Removes the tasks that have not begun.
  void cancel_waiting() const;

 private:
  std::vector<std::string> command(const std::string& program) const;

  std::string name_;
};

/// What is asked of sbatch.
struct SlurmArray {
  std::string job_name;
  std::size_t tasks = 1;
  std::filesystem::path log;              ///< %a in it is the number of the task
  std::vector<std::string> command;       ///< what every task runs
  std::vector<std::string> user_options;  ///< of sbatch
};

/// Submits the job, whose tasks wait until `release`. Throws Misuse, which names the option --slurm, if there
/// is no sbatch here or it refuses the job.
SlurmJob submit(const SlurmArray& array);

}  // namespace hearsay
