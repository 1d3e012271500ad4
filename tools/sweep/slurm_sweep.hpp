#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tools/sweep/slurm_job.hpp"
#include "tools/sweep/sweep_run.hpp"
#include "tools/sweep/task_folder.hpp"

namespace hearsay {

/// Points of a sweep that the tasks of an array job of Slurm try. Every task takes the next group that nobody
/// has from a folder in the output, which all nodes share, until there is none. This process waits, and takes
/// the results as they come.
class SlurmSweep {
 public:
  using Group = std::vector<std::size_t>;
  using OnRow = std::function<void(std::size_t place, SweepRow row)>;

  /// `groups` are places among the points of the sweep; a group is tried by one task.
  SlurmSweep(const Sweep& sweep, PointsAre points, const SweepOptions& options, std::vector<Group> groups);

  /// Submits the job; its tasks do not begin yet, and nothing is written. Throws Misuse if Slurm refuses it.
  void submit();

  /// Hands the groups to the job and returns when it has left the queue; notices say which tasks ended early.
  /// If the command is interrupted, cancels the job. Needs the output of the sweep.
  void run(const OnRow& on_row);

  /// Ends the job, if it was submitted, since its work cannot be handed out.
  void give_up();

 private:
  using Clock = std::chrono::steady_clock;

  bool hand_out();
  void take_results(const OnRow& on_row);
  bool is_complete() const { return taken_.size() == groups_.size(); }
  bool has_left_queue();
  void tell_ended(const std::vector<SlurmTask>& tasks);
  void tell_waiting(const std::vector<SlurmTask>& tasks);
  std::string label_of_group(std::size_t unit) const;
  std::string words_on(const SlurmTask& task) const;
  void wait_for_last_tasks();
  void say(const std::string& sentence) const;

  const Sweep& sweep_;
  PointsAre points_;
  const SweepOptions& options_;
  std::vector<Group> groups_;
  std::filesystem::path folder_;
  std::size_t tasks_;
  std::optional<SlurmJob> job_;
  bool is_cancelled_ = false;
  Clock::duration look_takes_{};  // into the folder
  std::set<std::size_t> taken_;   // units whose results have been taken
  std::set<std::size_t> told_;    // tasks of which a notice has said that they ended early
  std::string said_;              // the last notice about the queue
};

/// Settles what an earlier `sweep --slurm` has left in the output of a sweep that is to be resumed: results
/// that are not in sweep.json yet are added to it. If the job of that sweep is still in the queue, waits for
/// its end with --slurm. Throws Misuse without it, and if Slurm cannot be asked.
void settle_earlier_job(const std::filesystem::path& output, const SweepOptions& options);

/// Throws Misuse if the tasks of a job work, or may work, in the output, which is to be replaced.
void require_no_job(const std::filesystem::path& output);

}  // namespace hearsay
