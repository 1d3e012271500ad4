#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/settings/sweep_settings.hpp"
#include "tools/sweep/sweep_rows.hpp"
#include "tools/training/training.hpp"
#include "topology/foundation/host_refusal.hpp"

namespace hearsay {

struct SweepOptions : RunOptions {
  SlowedBy network = SlowedBy::shaper;
  std::vector<std::string> only;  ///< the variants that are run; empty: all
  /// The options of sbatch, if the points are tried by an array job of Slurm.
  std::optional<std::vector<std::string>> slurm = {};
  std::size_t most_tasks = 1000;  ///< of the array job: a cluster takes 1,001, unless it is told otherwise
  std::string command = {};       ///< the command line for the records; empty: that of this process

  bool chooses(const SweepPoint& point) const { return is_chosen(point, only); }
};

/// Returns what a point is called in messages: with repeats, also its seed.
std::string name_of(const Sweep& sweep, const SweepPoint& point);

/// What the points of a sweep are: its results, or candidates that its tuning chooses from.
enum class PointsAre { results, candidates };

/// Who writes sweep.json.
enum class RecordIs { written, left_to_another };

/// Tries every point of a sweep once, or those of --only. In virtual time groups run side by side; real
/// processes run one point after the other, since each needs the whole machine.
class SweepRun {
 public:
  /// `output` is the directory that is made before the first result, unless it is there to be gone on in. It
  /// is the sweep's own, or holds it. A candidate of a synchronous method that diverges in virtual time does
  /// so on every network, and is tried on one of them.
  SweepRun(const Sweep& sweep, PointsAre points, const SweepOptions& options, std::filesystem::path output,
           bool output_is_there, RecordIs record = RecordIs::written);

  void run();

  const std::vector<SweepRow>& rows() const { return rows_; }
  /// How many points run() tries, unless it is interrupted.
  std::size_t to_try() const { return to_try_; }
  bool has_record() const { return has_record_; }
  /// How many points the tasks of Slurm have left without a result.
  std::size_t missing() const { return missing_; }

 private:
  using Clock = std::chrono::steady_clock;
  /// Indices of points of the sweep that differ in nothing but the network.
  using Group = std::vector<std::size_t>;
  /// What was trained of a group: one run, or one by each way of algorithm.reduce that is the quickest on
  /// some of its networks.
  using LearnedPoints = std::vector<std::unique_ptr<LearnedPoint>>;

  static std::vector<Group> groups_of(const Sweep& sweep);
  void run_here();
  void run_under_slurm();
  void remove_empty_output();
  void try_group(const Group& group);
  bool is_finished(std::size_t place);
  std::string title_of(std::size_t place) const;
  SweepRow refused_row(std::size_t place, const std::string& why) const;
  SweepRow row_of_lack(std::size_t place, const HostRefusal& lack) const;
  bool diverges_everywhere(const SweepRow& row) const;
  SweepRow diverged_row(std::size_t place, const SweepRow& on_another_network) const;
  SweepRow attempt(std::size_t place, const Group& group, LearnedPoints& learned);
  void before_output();
  void write_record() const;
  void add(std::size_t place, SweepRow row, bool is_news);
  void say_how_far(std::size_t place);

  const Sweep& sweep_;
  PointsAre points_;
  const SweepOptions& options_;
  std::filesystem::path output_;
  bool output_is_there_;
  RecordIs record_;
  std::vector<Group> groups_;
  bool side_by_side_ = false;
  std::size_t threads_of_a_point_ = 1;
  const Clock::time_point began_ = Clock::now();

  std::mutex mutex_;            // over the rest
  std::vector<SweepRow> rows_;  // in the order of the points
  std::size_t kept_ = 0;
  std::size_t to_try_ = 0;
  std::size_t missing_ = 0;
  bool has_record_ = false;  // sweep.json is of this sweep
  Clock::time_point said_ = began_;
  Clock::time_point written_{};
  Clock::duration writing_{};  // what the last record took: it grows with the sweep
  std::set<std::pair<std::string, std::string>> refusals_said_;  // variant and reason
};

}  // namespace hearsay
