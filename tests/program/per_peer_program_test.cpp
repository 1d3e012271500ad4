#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "runtime/data/npy.hpp"
#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::per_peer_program_test {

namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

Json summary_in(const fs::path& output) { return Json::parse(content_of(output / "summary.json")); }

/// Returns the column as its sum.
double total_in(const fs::path& output, const std::string& column) {
  return read_npy<double>(output / "per-peer" / (column + ".npy")).values.sum();
}

}  // namespace

TEST_CASE("per peer: run, simulate and sweep write the columns, with any number of peers") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  folder.write("s.toml", quadratic_run +
                             "[sweep]\ndriver = \"simulate\"\n\"network.latency\" = [\"1 ms\", \"2 ms\"]\n"
                             "\"algorithm.step_size\" = [0.1, 0.2]\n");
  for (const std::string command : {"run", "simulate"}) {
    REQUIRE(
        run_program(folder.path(), {command, "q.toml", "--quiet", "--per-peer", "--output", command}).code ==
        0);
    const Json summary = summary_in(folder.path() / command);
    CHECK(summary["schema"] == 1);
    CHECK(summary["per_peer"].size() == 4);
    CHECK(total_in(folder.path() / command, "bytes_sent") == summary["bytes_sent"]);
    CHECK(total_in(folder.path() / command, "link_bytes") == summary["bytes_sent"]);
    // Not without the option: the earlier columns go with the earlier run.
    REQUIRE(
        run_program(folder.path(), {command, "q.toml", "--quiet", "--overwrite", "--output", command}).code ==
        0);
    CHECK_FALSE(fs::exists(folder.path() / command / "per-peer"));
  }
  for (int times = 0; times < 2; ++times) {
    REQUIRE(run_program(folder.path(),
                        {"sweep", "s.toml", "--quiet", "--per-peer", "--overwrite", "--output", "sweep"})
                .code == 0);
    const Json sweep = Json::parse(content_of(folder.path() / "sweep/sweep.json"));
    REQUIRE(sweep["points"].size() == 4);
    for (const Json& point : sweep["points"]) {
      const fs::path output = folder.path() / "sweep" / point["folder"].get<std::string>();
      CHECK(total_in(output, "bytes_sent") == summary_in(output)["bytes_sent"]);
      double waits = 0.0;
      const Json summary = summary_in(output);
      for (const Json& peer : summary["per_peer"]) waits += peer["wait_seconds"].get<double>();
      CHECK(total_in(output, "wait_seconds") == doctest::Approx(waits));
    }
  }
}

TEST_CASE("per peer: a run of 1,001 peers is reported, exported and replaced as any other") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const std::vector<std::string> simulate = {"simulate", "q.toml",
                                             "--quiet",  "--output",
                                             "many",     "--per-peer",
                                             "--set",    "topology.peers=1001",
                                             "--set",    "network.compute=lognormal(1 ms, 0.5)"};
  REQUIRE(run_program(folder.path(), simulate).code == 0);
  const Json summary = summary_in(folder.path() / "many");
  const Json& waits = summary["peer_statistics"]["columns"]["wait_seconds"];
  CHECK(total_in(folder.path() / "many", "wait_seconds") == doctest::Approx(waits["total"].get<double>()));
  REQUIRE(run_program(folder.path(), {"report", "many", "--output", "many.html"}).code == 0);
  CHECK(contains(content_of(folder.path() / "many.html"), "\"spread\":{\"bytes_sent\":{"));
  REQUIRE(run_program(folder.path(), {"report", "many", "--csv", "tables"}).code == 0);
  const std::string runs = content_of(folder.path() / "tables/runs.csv");
  CHECK(contains(runs, ",per_peer.wait_seconds.p99,"));
  CHECK(contains(runs, waits["p99"].dump()));
  CHECK_FALSE(contains(runs, "wait_seconds.worst"));
  CHECK_FALSE(contains(runs, "model_digest"));
  CHECK(run_program(folder.path(), simulate).code == 2);
  std::vector<std::string> again = simulate;
  again.push_back("--overwrite");
  CHECK(run_program(folder.path(), again).code == 0);
}

TEST_CASE("per peer: misuse is refused in a sentence, and leaves nothing behind") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const auto complaint = [&](const std::vector<std::string>& words) {
    const ProgramEnd end = run_program(folder.path(), words);
    CHECK(end.code == 2);
    return end.complained;
  };
  CHECK(contains(complaint({"simulate", "q.toml", "--per-per", "--output", "out"}),
                 "did you mean --per-peer?"));
  CHECK(contains(complaint({"launch", "q.toml", "--per-peer"}), "--per-peer"));
  CHECK(contains(complaint({"check", "q.toml", "--per-peer"}), "--per-peer"));
  CHECK_FALSE(fs::exists(folder.path() / "out"));
}

}  // namespace hearsay::test::per_peer_program_test
