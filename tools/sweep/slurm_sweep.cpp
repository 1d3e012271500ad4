#include "tools/sweep/slurm_sweep.hpp"

#include <poll.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/output_rules.hpp"
#include "tools/sweep/sweep_unit.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/training/provenance.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

/// Returns after a moment, or when a signal comes. No network file system and no Slurm tells that something
/// is new: one has to look. A look that takes long, into a folder of thousands of files, is repeated less
/// often.
void look_again_later(Clock::duration look_takes) {
  constexpr auto least = std::chrono::milliseconds(200);
  const auto moment = std::chrono::duration_cast<std::chrono::milliseconds>(20 * look_takes);
  poll(nullptr, 0, static_cast<int>(std::max(moment, least).count()));
}

/// When Slurm is asked again: at once at first, since a small sweep takes seconds, and every ten seconds in
/// the long run, since many users ask a controller.
class Questions {
 public:
  bool is_due() {
    if (Clock::now() < next_) return false;
    interval_ = std::min<Clock::duration>(interval_ * 3 / 2, std::chrono::seconds(10));
    next_ = Clock::now() + interval_;
    return true;
  }

 private:
  Clock::duration interval_ = std::chrono::milliseconds(500);
  Clock::time_point next_ = Clock::now() + interval_;
};

bool is_active(const std::vector<SlurmTask>& tasks) {
  return std::ranges::any_of(tasks, [](const SlurmTask& task) { return !task.has_ended(); });
}

/// Adds the results of units that are done to sweep.json, in place of earlier ones of their points.
void add_to_record(const fs::path& output, const fs::path& folder) {
  const fs::path file = output / "sweep.json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return;
  Json record = parse_checksummed(read_text_file(file), file.string());
  if (!record.is_object() || !record.contains("points")) return;
  for (const std::size_t unit : look_at_tasks(folder).done) {
    Json result = result_of(folder, unit);
    for (Json& row : result.at("rows")) {
      std::erase_if(record["points"].get_ref<Json::array_t&>(),
                    [&](const Json& point) { return point.value("folder", Json()) == row.at("folder"); });
      row.erase("summary");  // it is in the folder of the point
      record["points"].push_back(row);
    }
  }
  write_file(file, {checksummed_text(record)});
}

/// Returns the tasks of the job that an earlier sweep has left in the folder; none if there is no job. Throws
/// Misuse if Slurm does not answer.
std::vector<SlurmTask> earlier_tasks(const fs::path& output, const SlurmJob& job) {
  std::string defect;
  if (job.name().empty()) return {};
  if (const auto tasks = job.tasks(defect)) return *tasks;
  throw Misuse("run.output", output,
               "job " + job.id() + " of Slurm may work in it, which cannot be asked here (" + defect +
                   "); expected a machine of the cluster, or " + (output / task_folder).string() +
                   " removed");
}

/// Returns when the job has left the queue; cancels it if the command is interrupted.
void wait_for_earlier(const SlurmJob& job, const fs::path& output, StopRequest& stop) {
  print_notice("waits for job " + job.id() + " of the earlier sweep");
  stop.is_heeded = true;
  bool is_cancelled = false;
  for (Questions questions; !questions.is_due() || is_active(earlier_tasks(output, job));) {
    if (stop.interrupted.load() && !std::exchange(is_cancelled, true)) job.cancel();
    look_again_later({});
  }
}

}  // namespace

SlurmSweep::SlurmSweep(const Sweep& sweep, PointsAre points, const SweepOptions& options,
                       std::vector<Group> groups)
    : sweep_(sweep),
      points_(points),
      options_(options),
      groups_(std::move(groups)),
      folder_(sweep.output / task_folder),
      tasks_(std::min(groups_.size(), options.most_tasks)) {}

void SlurmSweep::submit() {
  job_ = hearsay::submit({.job_name = "hearsay-" + sweep_.output.filename().string(),
                          .tasks = tasks_,
                          .log = folder_ / "task-%a.log",
                          .command = {fs::read_symlink("/proc/self/exe"), "task", sweep_.output},
                          .user_options = *options_.slurm});
}

void SlurmSweep::give_up() {
  if (job_) job_->cancel();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

/// Writes the folder of the tasks, and lets them begin. False if the command is interrupted before.
bool SlurmSweep::hand_out() {
  std::vector<Json> units;
  std::size_t points = 0;
  for (const Group& group : groups_) {
    units.push_back(unit_to_json(sweep_, group));
    points += group.size();
  }
  SweepOptions options = options_;
  options.command = own_command_line();
  make_task_folder(folder_, to_json(SweepPlan{sweep_, points_, options, groups_.size(), tasks_}), units);
  note_job(folder_, job_->name());
  if (options_.stop->interrupted.load()) return false;
  job_->release();
  say("job " + job_->id() + " of Slurm: " + counted(tasks_, "task") + " for " + counted(points, "point"));
  return true;
}

void SlurmSweep::run(const OnRow& on_row) {
  if (!hand_out()) return give_up();
  for (Questions questions; !is_complete();) {
    take_results(on_row);
    if (options_.stop->interrupted.load() && !std::exchange(is_cancelled_, true)) {
      say("cancels job " + job_->id());
      job_->cancel();
    }
    if (questions.is_due() && has_left_queue()) break;
    look_again_later(look_takes_);
  }
  take_results(on_row);
  if (is_complete() || is_cancelled_) {
    wait_for_last_tasks();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
}

void SlurmSweep::take_results(const OnRow& on_row) {
  const Clock::time_point began = Clock::now();
  const TaskFolderState state = look_at_tasks(folder_);
  look_takes_ = Clock::now() - began;
  for (const std::size_t unit : state.done) {
    if (unit >= groups_.size() || !taken_.insert(unit).second) continue;
    const Json rows = result_of(folder_, unit);
    for (const std::size_t place : groups_[unit])
      on_row(place, row_from_json(rows, sweep_.points[place], sweep_.output));
  }
}

bool SlurmSweep::has_left_queue() {
  std::string defect;
  const auto tasks = job_->tasks(defect);
  if (!tasks) {
    if (std::exchange(said_, defect) != defect)
      say(defect + "; waits for job " + job_->id() + " all the same");
    return false;
  }
  tell_ended(*tasks);
  tell_waiting(*tasks);
  return !is_active(*tasks);
}

/// Says which tasks have ended in another way than they should, each once.
void SlurmSweep::tell_ended(const std::vector<SlurmTask>& tasks) {
  constexpr std::size_t most = 5;
  for (const SlurmTask& task : tasks) {
    if (!task.has_ended() || task.state == "COMPLETED" || is_cancelled_) continue;
    if (!told_.insert(task.number).second || told_.size() > most) continue;
    print_notice(words_on(task));
    if (told_.size() == most) print_notice("of other tasks that end early nothing is said");
  }
}

std::string SlurmSweep::label_of_group(std::size_t unit) const {
  const Group& group = groups_.at(unit);
  const std::string first = name_of(sweep_, sweep_.points[group.front()]);
  return group.size() == 1 ? first : first + " (and " + counted(group.size() - 1, "other network") + ")";
}

/// Returns the sentence about a task that has ended early: how, where, in the middle of what, and its last
/// words.
std::string SlurmSweep::words_on(const SlurmTask& task) const {
  std::string words =
      "task " + std::to_string(task.number) + " of job " + job_->id() + " has ended early: " + task.state;
  if (!task.reason.empty() && task.reason != "None") words += " (" + task.reason + ")";
  if (!task.node.empty()) words += ", on " + task.node;
  std::string middle;
  for (const auto& [unit, by] : look_at_tasks(folder_).taken)
    if (by == std::to_string(task.number) && unit < groups_.size())
      middle += (middle.empty() ? ", in the middle of " : " and of ") + label_of_group(unit);
  words += middle;
  const std::string last = last_words_of(folder_, task.number);
  if (!last.empty() && last.find(news_of_a_task) == last.npos) words += "; its last words: " + last;
  return words;
}

/// Says why nothing goes on, while all tasks wait.
void SlurmSweep::tell_waiting(const std::vector<SlurmTask>& tasks) {
  std::string reason;
  for (const SlurmTask& task : tasks) {
    if (task.has_ended()) continue;
    if (task.state != "PENDING") return;
    if (reason.empty()) reason = task.reason;
  }
  if (reason.empty() || reason == "None") return;
  const std::string sentence = "job " + job_->id() + " waits in the queue (" + reason + ")";
  if (std::exchange(said_, sentence) != sentence) say(sentence);
}

/// Removes the tasks that have not begun, and waits for a while until the others have ended: they do so as
/// soon as they find no more work.
void SlurmSweep::wait_for_last_tasks() {
  constexpr int most_looks = 50;
  std::string ignored;
  if (const auto tasks = job_->tasks(ignored)) tell_ended(*tasks);
  job_->cancel_waiting();
  for (int look = 0; look < most_looks; ++look) {
    const auto tasks = job_->tasks(ignored);
    if (!tasks || !is_active(*tasks)) return;
    look_again_later({});
  }
}

void SlurmSweep::say(const std::string& sentence) const {
  if (!options_.quiet) print_notice(sentence);
}

void settle_earlier_job(const fs::path& output, const SweepOptions& options) {
  const fs::path folder = output / task_folder;
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return;
  const SlurmJob job(job_in(folder));
  const bool is_at_work = is_active(earlier_tasks(output, job));
  if (is_at_work && !options.slurm)
    throw Misuse("run.output", output,
                 "job " + job.id() +
                     " of Slurm works in it; expected --slurm, which waits for it, or scancel " + job.id());
  if (is_at_work) wait_for_earlier(job, output, *options.stop);
  add_to_record(output, folder);
  fs::remove_all(folder, ignored);
}

void require_no_job(const fs::path& output) {
  const fs::path folder = output / task_folder;
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return;
  const SlurmJob job(job_in(folder));
  if (is_active(earlier_tasks(output, job)))
    throw Misuse("run.output", output,
                 "job " + job.id() + " of Slurm works in it; expected scancel " + job.id() + " first");
}

}  // namespace hearsay
