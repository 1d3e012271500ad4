#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::threads_program_test {

using Json = nlohmann::json;

TEST_CASE("threads: simulate and sweep print the same with any number, and refuse what is no number") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  folder.write("s.toml",
               quadratic_run + "[sweep]\ndriver = \"simulate\"\n\"algorithm.step_size\" = [0.1, 0.2, 0.3]\n");
  const auto output_of = [&](const std::string& command, const std::string& file,
                             const std::string& threads) {
    const auto run =
        run_program(folder.path(), {command, file, "--json", "--quiet", "--overwrite", "--threads", threads,
                                    "--set", "model.kind=\"quadratic(9000)\""});
    REQUIRE(run.code == 0);
    Json record = Json::parse(run.said);
    for (const char* key : {"provenance", "peak_memory_bytes", "per_peer"}) record.erase(key);
    for (Json& point : record.contains("points") ? record["points"] : record)
      if (point.is_object()) point.erase("peak_memory_bytes");
    return record.dump();
  };
  for (const std::string command : {"simulate", "sweep"}) {
    const std::string file = command == "sweep" ? "s.toml" : "q.toml";
    CAPTURE(command);
    const std::string alone = output_of(command, file, "1");
    for (const char* threads : {"2", "3", "7"}) CHECK(output_of(command, file, threads) == alone);
    for (const std::string wrong : {"0", "-1", "two", "1.5", "1025"}) {
      CAPTURE(wrong);
      const auto refused = run_program(folder.path(), {command, file, "--threads", wrong});
      CHECK(refused.code == 2);
      CHECK(contains(refused.complained, "--threads"));
      CHECK(contains(refused.complained, "expected a whole number of threads, 1 to 1024"));
    }
  }
  CHECK(run_program(folder.path(), {"run", "q.toml", "--threads", "2"}).code == 2);
}

TEST_CASE(
    "threads: a run with faults, or with a trace, has one thread, and says so if it was asked for more") {
  const DataFolder folder;
  folder.write("f.toml", quadratic_run +
                             "[failure]\npolicy = \"drop\"\n[[fault]]\npeer = 1\nat = \"1 ms\"\nkind = "
                             "\"kill\"\n");
  const auto said = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words = {"simulate", "f.toml", "--overwrite"};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder.path(), words).complained;
  };
  CHECK(contains(said({"--threads", "2"}), "--threads: one thread simulates a run with faults"));
  CHECK_FALSE(contains(said({}), "--threads"));
}

TEST_CASE("threads: a sweep of processes has no use for them, and says so") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + "[sweep]\ndriver = \"run\"\n\"algorithm.step_size\" = [0.1, 0.2]\n");
  const auto said = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"sweep", "s.toml", "--overwrite"});
    const auto end = run_program(folder.path(), words);
    CHECK(end.code == 0);
    return end.complained;
  };
  const std::string idle = "--threads: it is for what runs in virtual time; here each peer is a process";
  CHECK(contains(said({"--threads", "2"}), idle));
  CHECK_FALSE(contains(said({}), "--threads"));
  CHECK_FALSE(contains(said({"--threads", "2", "--set", "sweep.driver=simulate"}), "--threads"));
}

}  // namespace hearsay::test::threads_program_test
