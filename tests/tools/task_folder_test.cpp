#include "tools/sweep/task_folder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <thread>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::task_folder_test {

namespace {

using Json = nlohmann::ordered_json;

std::vector<Json> numbered_units(std::size_t count) {
  std::vector<Json> units;
  for (std::size_t number = 0; number < count; ++number) units.push_back({{"number", number}});
  return units;
}

}  // namespace

TEST_CASE("task folder: tasks that take at the same time have every unit once, and all of them") {
  constexpr std::size_t count = 300;
  constexpr std::size_t tasks = 4;
  const DataFolder folder;
  const auto place = folder.path() / "tasks";
  make_task_folder(place, {{"units", count}}, numbered_units(count));
  std::vector<std::vector<std::size_t>> taken(tasks);
  {
    std::vector<std::jthread> threads;
    for (std::size_t task = 0; task < tasks; ++task)
      threads.emplace_back([&, task] {
        TaskUnits units(place, count, std::to_string(task));
        while (const auto unit = units.take()) {
          taken[task].push_back(unit->content.at("number"));
          units.finish(unit->number, {{"by", task}});
        }
      });
  }
  std::vector<std::size_t> all;
  for (const auto& of_a_task : taken) all.insert(all.end(), of_a_task.begin(), of_a_task.end());
  std::ranges::sort(all);
  REQUIRE(all.size() == count);
  for (std::size_t number = 0; number < count; ++number) CHECK(all[number] == number);
  const TaskFolderState state = look_at_tasks(place);
  CHECK(state.done.size() == count);
  CHECK(state.todo.empty());
  CHECK(state.taken.empty());
  for (std::size_t task = 0; task < tasks; ++task)
    for (const std::size_t number : taken[task]) CHECK(result_of(place, number).at("by") == task);
}

TEST_CASE("task folder: a task that is started again takes what it died in the middle of, and nobody else") {
  const DataFolder folder;
  const auto place = folder.path() / "tasks";
  make_task_folder(place, {{"units", 3}}, numbered_units(3));
  TaskUnits first_life(place, 3, "1");
  REQUIRE(first_life.take()->number == 0);
  first_life.finish(0, {{"is", "done"}});
  REQUIRE(first_life.take()->number == 1);
  TaskUnits other(place, 3, "2");
  CHECK(other.take()->number == 2);
  CHECK_FALSE(other.take());
  CHECK(look_at_tasks(place).taken.size() == 2);
  TaskUnits second_life(place, 3, "1");
  CHECK(second_life.take()->number == 1);
  CHECK_FALSE(second_life.take());
}

TEST_CASE("task folder: a unit that was done is not done again if its task died before it said so") {
  const DataFolder folder;
  const auto place = folder.path() / "tasks";
  make_task_folder(place, {{"units", 1}}, numbered_units(1));
  REQUIRE(TaskUnits(place, 1, "1").take());
  std::filesystem::copy(place / "0.taken-1", place / "0.done");
  CHECK(look_at_tasks(place).taken.empty());
  CHECK_FALSE(TaskUnits(place, 1, "1").take());
}

TEST_CASE("task folder: what is given back another task takes, also one that has looked at it before") {
  const DataFolder folder;
  const auto place = folder.path() / "tasks";
  make_task_folder(place, {{"units", 2}}, numbered_units(2));
  TaskUnits one(place, 2, "1");
  TaskUnits other(place, 2, "2");
  REQUIRE(one.take()->number == 0);
  REQUIRE(other.take()->number == 1);
  CHECK_FALSE(other.take());
  one.give_back(0);
  CHECK(look_at_tasks(place).todo.contains(0));
  CHECK(other.take()->number == 0);
  CHECK_FALSE(one.take());
}

TEST_CASE("task folder: a result that was changed after it was written is refused") {
  const DataFolder folder;
  const auto place = folder.path() / "tasks";
  make_task_folder(place, {{"units", 1}}, numbered_units(1));
  TaskUnits units(place, 1, "1");
  REQUIRE(units.take());
  units.finish(0, {{"loss", 0.5}});
  std::string text = content_of(place / "0.done");
  text.replace(text.find("0.5"), 3, "0.4");
  folder.write("tasks/0.done", text);
  CHECK(misuse_text([&] { result_of(place, 0); }).find("it was changed after it was written") !=
        std::string::npos);
  CHECK(plan_in(folder.path() / "nowhere").is_null());
}

}  // namespace hearsay::test::task_folder_test
