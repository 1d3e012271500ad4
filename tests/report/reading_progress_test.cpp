#include "tools/report/reading_progress.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/support/data_files.hpp"
#include "tools/report/report_data.hpp"

namespace hearsay::test::reading_progress_test {

TEST_CASE("report: reading that takes more than two seconds is told of once a second, and at its end") {
  std::vector<std::string> said;
  ReadingProgress::Clock::time_point now{};
  ReadingProgress progress([&](const std::string& text) { said.push_back(text); }, [&] { return now; });
  for (std::size_t done = 1; done <= 40; ++done) {
    now += std::chrono::milliseconds(100);
    progress.show("many", done, 40);
  }
  const std::vector<std::string> expected{"many: 20 of 40 runs are read", "many: 30 of 40 runs are read",
                                          "many: 40 of 40 runs are read"};
  CHECK(said == expected);
}

TEST_CASE("report: reading that is quick is not told of") {
  std::vector<std::string> said;
  ReadingProgress progress([&](const std::string& text) { said.push_back(text); },
                           [] { return ReadingProgress::Clock::time_point{}; });
  for (std::size_t done = 1; done <= 40; ++done) progress.show("many", done, 40);
  CHECK(said.empty());
}

TEST_CASE("report: every run and every point that is read is told, with how many there are") {
  const DataFolder folder;
  for (const char* name : {"one", "two"}) {
    std::filesystem::create_directories(folder.path() / name);
    folder.write(std::string(name) + "/run.toml", "");
    folder.write(std::string(name) + "/metrics.jsonl", "");
  }
  std::filesystem::create_directories(folder.path() / "sweep");
  const std::string point =
      "{\"variant\":\"a\",\"folder\":\"a\",\"status\":\"refused\",\"axes\":{\"topology.peers\":\"";
  folder.write("sweep/sweep.json", "{\"points\":[" + point + "4\"}}," + point + "5\"}}]}");
  std::vector<std::string> told;
  report_data({folder.path() / "one", folder.path() / "two", folder.path() / "sweep"},
              [&](const std::string& name, std::size_t done, std::size_t in_total) {
                told.push_back(name + " " + std::to_string(done) + "/" + std::to_string(in_total));
              });
  const std::vector<std::string> expected{"runs 1/2", "runs 2/2", "sweep 1/2", "sweep 2/2"};
  CHECK(told == expected);
}

}  // namespace hearsay::test::reading_progress_test
