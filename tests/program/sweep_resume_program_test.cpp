#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::sweep_resume_program_test {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

namespace {

Json json_of(const std::string& text) { return Json::parse(text); }

/// The places of all summaries below a folder, and when each was written.
std::map<std::string, std::filesystem::file_time_type> results_in(const std::filesystem::path& folder) {
  std::map<std::string, std::filesystem::file_time_type> results;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.path().filename() == "summary.json")
      results[entry.path().lexically_relative(folder).string()] = entry.last_write_time();
  return results;
}

const std::string two_variants = quadratic_run +
                                 "[sweep]\ndriver = \"simulate\"\nnetwork.latency = [\"1 ms\", \"2 ms\"]\n"
                                 "[[sweep.variant]]\nname = \"A\"\n"
                                 "[[sweep.variant]]\nname = \"B\"\nalgorithm.step_size = 0.01\n";

}  // namespace

TEST_CASE("sweep: --resume keeps the points that are finished, unless their settings are others now") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + "[sweep]\ndriver = \"simulate\"\n\"run.seed\" = [1, 2, 3]\n");
  const auto run = [&](Words more) {
    Words words = {"sweep", "s.toml", "--output", "out"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramEnd end = run_program(folder.path(), words);
    CHECK_MESSAGE(end.code == 0, end.complained);
    return end.complained;
  };
  run({});
  const Json first = json_of(content_of(folder.path() / "out/sweep.json"));
  std::filesystem::remove_all(folder.path() / "out" / first["points"][1]["folder"].get<std::string>());
  CHECK(run({"--resume"}).find("2 points of 3 finished before, and kept") != std::string::npos);
  CHECK(json_of(content_of(folder.path() / "out/sweep.json")) == first);
  // A record that was edited, and says so, and a moved folder lose no results.
  Json strange = first;
  strange["points"][0]["note"] = 5;
  folder.write("out/sweep.json", strange.dump());
  const ProgramEnd damaged = run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--resume"});
  CHECK(damaged.code == 2);
  CHECK(damaged.complained.find("sweep.json: it was changed after it was written") != std::string::npos);
  strange.erase("crc32");
  folder.write("out/sweep.json", strange.dump());
  std::filesystem::rename(folder.path() / "out", folder.path() / "moved");
  const ProgramEnd moved = run_program(folder.path(), {"sweep", "s.toml", "--output", "moved", "--resume"});
  CHECK_MESSAGE(moved.code == 0, moved.complained);
  CHECK(moved.complained.find("3 points of 3 finished before, and kept") != std::string::npos);
  std::filesystem::rename(folder.path() / "moved", folder.path() / "out");
  const std::string changed = run({"--resume", "--set", "run.iterations=15"});
  CHECK(changed.find("kept") == std::string::npos);
  CHECK(changed.find("hearsay: 3 points had other settings before") != std::string::npos);
  const ProgramEnd third = run_program(folder.path(), {"sweep", "s.toml", "--output", "out"});
  CHECK(third.code == 2);
  CHECK(third.complained.find("give --overwrite to replace it, --resume to keep its points") !=
        std::string::npos);
  CHECK(json_of(content_of(folder.path() / "out/sweep.json"))["points"][0]["iterations"] == 15);
  const ProgramEnd both =
      run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--resume", "--overwrite"});
  CHECK(both.code == 2);
  CHECK(both.complained == "hearsay: --resume keeps what --overwrite would replace; expected one of them\n");
}

TEST_CASE("sweep: --resume goes on inside of the repeats, and loses none") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + "[sweep]\ndriver = \"simulate\"\nalgorithm.batch = [\"full\"]\n");
  const auto sweep = [&](const std::string& repeats, const Words& more) {
    Words words = {"sweep", "s.toml", "--output", "out", "--set", "sweep.repeat=" + repeats};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder.path(), words);
  };
  REQUIRE(sweep("2", {}).code == 0);
  const ProgramEnd more = sweep("5", {"--resume"});
  CHECK(more.code == 0);
  CHECK(more.complained.find("2 points of 5 finished before, and kept") != std::string::npos);
  const std::string record = content_of(folder.path() / "out/sweep.json");
  CHECK(json_of(record)["cells"][0]["figures"]["loss"]["count"] == 5);
  const ProgramEnd fewer = sweep("3", {"--resume"});
  CHECK(fewer.code == 2);
  CHECK(fewer.complained.find("sweep.repeat = 3: the sweep that is to be resumed has 5 repeats") !=
        std::string::npos);
  CHECK(content_of(folder.path() / "out/sweep.json") == record);
}

TEST_CASE("sweep: --resume with repeats makes the finished results the repetitions with their seed") {
  const DataFolder folder;
  folder.write("s.toml", two_variants);
  const auto sweep = [&](const Words& more) {
    Words words = {"sweep", "s.toml", "--output", "out"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder.path(), words);
  };
  REQUIRE(sweep({}).code == 0);
  const auto single = results_in(folder.path() / "out");
  REQUIRE(single.size() == 4);
  const ProgramEnd end = sweep({"--resume", "--set", "sweep.repeat=3"});
  CHECK_MESSAGE(end.code == 0, end.complained);
  CHECK(end.complained.find("4 points of 12 finished before, and kept") != std::string::npos);
  const auto repeated = results_in(folder.path() / "out");
  CHECK(repeated.size() == 12);
  for (const auto& [place, written] : single) {
    const auto moved = repeated.find(std::filesystem::path(place).parent_path() / "seed-1/summary.json");
    CHECK((moved != repeated.end() && moved->second == written));
  }
  CHECK(json_of(content_of(folder.path() / "out/sweep.json"))["cells"][3]["figures"]["loss"]["count"] == 3);

  // With other settings they cannot be repetitions, and are not lost either.
  REQUIRE(sweep({"--overwrite"}).code == 0);
  const auto before = results_in(folder.path() / "out");
  const ProgramEnd other = sweep({"--resume", "--set", "sweep.repeat=3", "--set", "run.iterations=15"});
  CHECK(other.code == 2);
  CHECK(other.complained ==
        "hearsay: sweep.repeat = 3: the sweep that is to be resumed has no repeats, and other settings in "
        "a/1-ms; expected --overwrite to replace it, or another --output\n");
  CHECK(results_in(folder.path() / "out") == before);
}

TEST_CASE("sweep: --resume removes no result that it does not make anew") {
  const DataFolder folder;
  folder.write("s.toml", two_variants);
  REQUIRE(run_program(folder.path(), {"sweep", "s.toml", "--output", "out"}).code == 0);
  const auto before = results_in(folder.path() / "out");
  const ProgramEnd other = run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--resume",
                                                       "--only", "A", "--set", "run.iterations=15"});
  CHECK(other.code == 2);
  CHECK(other.complained ==
        "hearsay: --only = \"A\": the results of \"B\" are of other settings than now, and would be lost; "
        "expected those settings, or another --output\n");
  CHECK(results_in(folder.path() / "out") == before);
  // Another driver's results stay until each is replaced; here the first point is refused.
  const ProgramEnd refused = run_program(
      folder.path(), {"sweep", "s.toml", "--output", "out", "--resume", "--set", "algorithm.kind=allreduce"});
  CHECK(refused.code == 2);
  CHECK(results_in(folder.path() / "out") == before);
  // The output of a single run is no sweep.
  REQUIRE(run_program(folder.path(), {"simulate", "s.toml", "--output", "one", "--set", "run.name=x"}).code !=
          0);
  folder.write("q.toml", quadratic_run);
  REQUIRE(run_program(folder.path(), {"simulate", "q.toml", "--output", "one"}).code == 0);
  CHECK(run_program(folder.path(), {"sweep", "s.toml", "--output", "one", "--resume"}).code == 2);
  CHECK(std::filesystem::exists(folder.path() / "one/summary.json"));
}

}  // namespace hearsay::test::sweep_resume_program_test
