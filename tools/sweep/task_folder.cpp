#include "tools/sweep/task_folder.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>
#include <system_error>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/checksummed_record.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace fs = std::filesystem;

namespace {

using Json = nlohmann::ordered_json;

fs::path unit_file(const fs::path& folder, std::size_t number, const std::string& name) {
  return folder / (std::to_string(number) + "." + name);
}

Json record_in(const fs::path& file) {
  Json content = parse_checksummed(read_text_file(file), file.string());
  if (!content.is_object()) throw Misuse(file.string() + " is no record of a sweep");
  return content;
}

}  // namespace

void make_task_folder(const fs::path& folder, const Json& plan, const std::vector<Json>& units) {
  std::error_code error;
  fs::remove_all(folder, error);
  fs::create_directories(folder, error);
  if (error) throw Misuse("cannot make " + folder.string() + ": " + error.message());
  for (std::size_t number = 0; number < units.size(); ++number)
    write_file(unit_file(folder, number, "todo"), {checksummed_text(units[number])});
  write_file(folder / "plan.json", {checksummed_text(plan)});
}

TaskUnits::TaskUnits(fs::path folder, std::size_t units, std::string task)
    : folder_(std::move(folder)), units_(units), task_(std::move(task)) {}

fs::path TaskUnits::taken(std::size_t number) const { return unit_file(folder_, number, "taken-" + task_); }

std::optional<TaskUnits::Unit> TaskUnits::take() {
  const std::lock_guard lock(mutex_);
  while (next_ < units_) {
    const std::size_t number = next_++;
    std::error_code ignored;
    // It is this task's, too, if it bears its name already: an earlier life of the task died in the middle of
    // it, or a network file system lost its answer to the rename.
    const bool is_ours =
        std::rename(unit_file(folder_, number, "todo").c_str(), taken(number).c_str()) == 0 ||
        fs::exists(taken(number), ignored);
    if (is_ours && !fs::exists(unit_file(folder_, number, "done"), ignored))
      return Unit{number, record_in(taken(number))};
  }
  // What other tasks have given back since.
  for (const std::size_t number : look_at_tasks(folder_).todo)
    if (!given_back_.contains(number) &&
        std::rename(unit_file(folder_, number, "todo").c_str(), taken(number).c_str()) == 0)
      return Unit{number, record_in(taken(number))};
  return std::nullopt;
}

void TaskUnits::finish(std::size_t number, const Json& result) {
  write_file(unit_file(folder_, number, "done"), {checksummed_text(result)});
  std::error_code ignored;
  fs::remove(taken(number), ignored);
}

void TaskUnits::give_back(std::size_t number) {
  const std::lock_guard lock(mutex_);
  given_back_.insert(number);
  std::error_code ignored;
  fs::rename(taken(number), unit_file(folder_, number, "todo"), ignored);
}

TaskFolderState look_at_tasks(const fs::path& folder) {
  TaskFolderState state;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (const fs::directory_iterator end; !error && entries != end; entries.increment(error)) {
    const std::string name = entries->path().filename();
    const std::size_t dot = name.find('.');
    std::uint64_t number = 0;
    if (dot == name.npos || !parse_whole(std::string_view(name).substr(0, dot), number)) continue;
    const std::string standing = name.substr(dot + 1);
    constexpr std::string_view taken = "taken-";
    if (standing == "todo")
      state.todo.insert(number);
    else if (standing == "done")
      state.done.insert(number);
    else if (standing.starts_with(taken))
      state.taken.emplace_back(number, standing.substr(taken.size()));
  }
  // A task that died when it had written the result, and not yet removed the mark that it has the unit.
  std::erase_if(state.taken, [&](const auto& unit) { return state.done.contains(unit.first); });
  return state;
}

Json result_of(const fs::path& folder, std::size_t unit) {
  return record_in(unit_file(folder, unit, "done"));
}

Json plan_in(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / "plan.json", ignored) ? record_in(folder / "plan.json") : Json(nullptr);
}

std::string job_in(const fs::path& folder) {
  std::ifstream file(folder / "job");
  std::string name;
  std::getline(file, name);
  return name;
}

void note_job(const fs::path& folder, const std::string& name) { write_file(folder / "job", {name, "\n"}); }

std::string last_words_of(const fs::path& folder, std::size_t task) {
  std::ifstream file(folder / ("task-" + std::to_string(task) + ".log"));
  std::string last;
  for (std::string line; std::getline(file, line);)
    if (!line.empty()) last = line;
  return last;
}

}  // namespace hearsay
