#pragma once

#include <cstddef>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearsay {

// Work that processes on several machines share, in a folder that all of them see. A unit is what one of them
// does at a time. Its file has one name after the other, and the name says who has it:
//
//     17.todo       nobody
//     17.taken-3    task 3
//     17.done       nobody any more; the file holds the result
//     plan.json     what all units have in common
//     job           the name of the job whose tasks do the work
//     task-3.log    what task 3 prints
//
// A unit is taken by `rename`, which is atomic on network file systems, too: of two that try one finds it
// gone.

/// Makes the folder, in place of an earlier one. Throws Misuse if it cannot be written.
void make_task_folder(const std::filesystem::path& folder, const nlohmann::ordered_json& plan,
                      const std::vector<nlohmann::ordered_json>& units);

/// The folder as a task sees it. Threads of the task may share the object.
class TaskUnits {
 public:
  struct Unit {
    std::size_t number;
    nlohmann::ordered_json content;
  };

  /// `task` is unique among the tasks that run. A task that Slurm starts again has the name that it had: it
  /// takes the unit again in the middle of which it died.
  TaskUnits(std::filesystem::path folder, std::size_t units, std::string task);

  /// Takes the first unit that nobody has; empty if there is none.
  std::optional<Unit> take();
  /// Leaves the result of a unit that was taken.
  void finish(std::size_t number, const nlohmann::ordered_json& result);
  /// Gives a unit back that was taken, for another task: this one does not take it again.
  void give_back(std::size_t number);

 private:
  std::filesystem::path taken(std::size_t number) const;

  std::filesystem::path folder_;
  std::size_t units_;
  std::string task_;
  std::mutex mutex_;                  // over the next fields
  std::size_t next_ = 0;              // all units before it were tried
  std::set<std::size_t> given_back_;  // by this task
};

/// What stands in the folder.
struct TaskFolderState {
  std::set<std::size_t> todo;
  std::vector<std::pair<std::size_t, std::string>> taken;  ///< unit and task
  std::set<std::size_t> done;
};
TaskFolderState look_at_tasks(const std::filesystem::path& folder);

/// Returns the result of a unit that is done. Throws Misuse if it cannot be read.
nlohmann::ordered_json result_of(const std::filesystem::path& folder, std::size_t unit);

/// Returns the plan; null if there is none.
nlohmann::ordered_json plan_in(const std::filesystem::path& folder);

/// The name of the job that does the work; empty if none is known.
std::string job_in(const std::filesystem::path& folder);
void note_job(const std::filesystem::path& folder, const std::string& name);

/// How a task begins a line that says what it does.
inline constexpr std::string_view news_of_a_task = "tries ";
/// Returns the last line that a task has printed; empty if there is none.
std::string last_words_of(const std::filesystem::path& folder, std::size_t task);

}  // namespace hearsay
