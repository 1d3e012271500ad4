#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::log_program_test {

namespace {

using Json = nlohmann::ordered_json;

/// The lines of a log; each is an object with a time, a level and a message.
std::vector<Json> lines_of(const std::string& complained) {
  std::vector<Json> lines;
  std::istringstream text(complained);
  for (std::string line; std::getline(text, line);) {
    CAPTURE(line);
    lines.push_back(Json::parse(line, nullptr, false));
    REQUIRE(lines.back().is_object());
    CHECK(lines.back()["time"].get<std::string>().ends_with("Z"));
    CHECK(lines.back()["level"].is_string());
    CHECK(lines.back()["message"].is_string());
  }
  return lines;
}

bool has(const std::vector<Json>& lines, const std::string& level, const std::string& words) {
  return std::ranges::any_of(
      lines, [&](const Json& line) { return line["level"] == level && contains(line["message"], words); });
}

}  // namespace

TEST_CASE("run, log: every line is an object, and evaluations have their numbers") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run +
                             "[failure]\npolicy = \"drop\"\n[[fault]]\npeer = 2\nat = \"20 ms\"\n"
                             "kind = \"kill\"\n");
  for (const std::string command : {"run", "simulate"}) {
    CAPTURE(command);
    const ProgramEnd end = run_program(folder.path(), {command, "q.toml", "--set", "run.iterations=60",
                                                       "--log", "json", "--output", command});
    CHECK_MESSAGE(end.code == 0, end.complained);
    const std::vector<Json> lines = lines_of(end.complained);
    const auto evaluation =
        std::ranges::find_if(lines, [](const Json& line) { return line.contains("loss"); });
    REQUIRE(evaluation != lines.end());
    CHECK((*evaluation)["iterations"] == 60);
    CHECK((*evaluation)["iteration"].is_number_unsigned());
    CHECK_FALSE(evaluation->contains("peer"));
    CHECK(lines.back()["status"] == "done");
    CHECK(contains(end.said, "status"));  // the closing words are no part of the log
    if (command != "run") continue;
    // What a peer's process says has its id.
    CHECK(std::ranges::any_of(lines, [](const Json& line) { return line.contains("peer"); }));
  }
}

TEST_CASE("run, log: what is wrong is an error, and with --quiet a run that ends well says nothing") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const ProgramEnd wrong =
      run_program(folder.path(), {"run", "q.toml", "--log", "json", "--set", "run.seed=no"});
  CHECK(wrong.code == 2);
  CHECK(has(lines_of(wrong.complained), "error", "run.seed = \"no\""));
  const ProgramEnd text =
      run_program(folder.path(), {"run", "q.toml", "--log", "text", "--set", "run.seed=no"});
  CHECK_MESSAGE(contains(text.complained, "Z error "), text.complained);
  const ProgramEnd quiet =
      run_program(folder.path(), {"simulate", "q.toml", "--log", "text", "--quiet", "--output", "out"});
  CHECK(quiet.code == 0);
  CHECK(quiet.complained == "");
  CHECK(quiet.said == "");
  const ProgramEnd unknown = run_program(folder.path(), {"run", "q.toml", "--log", "xml"});
  CHECK(unknown.code == 2);
  CHECK_MESSAGE(contains(unknown.complained, "expected one of text, json"), unknown.complained);
}

TEST_CASE("peer, log: lines of a host's peer have its id, and a warning has its level") {
  const DataFolder folder;
  folder.write("q.toml", small_run);
  const ProgramEnd end = run_program(
      folder.path(), {"peer", "q.toml", "--id", "1", "--log", "json", "--wait", "200 ms", "--output", "out"},
      [] {
        setenv("HEARSAY_ADDRESSES",
               "tcp://127.0.0.1:27941,tcp://127.0.0.1:27942,tcp://127.0.0.1:27943,"
               "tcp://127.0.0.1:27944",
               1);
      });
  CHECK(end.code == 3);
  const std::vector<Json> lines = lines_of(end.complained);
  CHECK(has(lines, "info", "waiting for its neighbors"));
  CHECK(has(lines, "error", "did not"));
  for (const Json& line : lines) CHECK(line["peer"] == 1);
}

}  // namespace hearsay::test::log_program_test
