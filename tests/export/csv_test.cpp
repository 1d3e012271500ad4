#include "tools/export/csv_files.hpp"

#include <doctest/doctest.h>

#include <map>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::csv_test {

namespace fs = std::filesystem;

namespace {

using Row = std::map<std::string, std::string>;

/// Returns the records of a CSV file, read by the rules of RFC 4180, section 2.
std::vector<std::vector<std::string>> csv_records(const std::string& text) {
  std::vector<std::vector<std::string>> records;
  std::size_t at = 0;
  while (at < text.size()) {
    std::vector<std::string> record(1);
    for (;; ++at) {
      if (at < text.size() && text[at] == '"') {
        for (++at;; ++at) {
          if (text.at(at) == '"' && at + 1 < text.size() && text[at + 1] == '"')
            ++at;
          else if (text[at] == '"')
            break;
          record.back() += text[at];
        }
        ++at;
      } else {
        while (at < text.size() && text[at] != ',' && text[at] != '\n') record.back() += text[at++];
      }
      if (at == text.size() || text[at] == '\n') break;
      record.emplace_back();
    }
    ++at;
    records.push_back(std::move(record));
  }
  return records;
}

/// Returns the rows by the names of their columns. Every row must have all columns.
std::vector<Row> csv_rows(const std::string& text) {
  const auto records = csv_records(text);
  std::vector<Row> rows;
  for (std::size_t k = 1; k < records.size(); ++k) {
    REQUIRE(records[k].size() == records[0].size());
    Row& row = rows.emplace_back();
    for (std::size_t column = 0; column < records[0].size(); ++column)
      row[records[0][column]] = records[k][column];
    REQUIRE(row.size() == records[0].size());  // no column is there twice
  }
  return rows;
}

const std::string small_sweep = R"toml(
run = { name = "small", iterations = 20, evaluate_every = 5, seed = 9 }
model.kind = "quadratic(50)"
topology.peers = 4
algorithm.batch = "full"
network.compute = "1 ms"
[sweep]
driver = "simulate"
baseline = "plain"
"network.bandwidth" = ["1 Mbit/s", "unlimited"]
"network.latency" = ["1 ms", "20 ms"]
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "8 \"bits\", linf"
algorithm.kind = "dcd-psgd"
[[sweep.variant]]
name = "too coarse"
algorithm.kind = "dcd-psgd"
algorithm.compressor = "dither(l2, bits=2, bucket=50)"
)toml";

}  // namespace

TEST_CASE("csv: commas, quotes and ends of lines are quoted, nothing else is, null is empty") {
  CsvTable table;
  table.begin_row();
  table.set("plain", "two words");
  table.set("a,b", "say \"no\"");
  table.set("lines", "one\ntwo");
  table.set("nothing", nullptr);
  table.begin_row();
  table.set("late", true);
  table.set("plain", 0.1);
  CHECK(table.text() ==
        "plain,\"a,b\",lines,nothing,late\n"
        "two words,\"say \"\"no\"\"\",\"one\ntwo\",,\n"
        "0.1,,,,true\n");
}

TEST_CASE("csv: numbers keep all their bits, members of objects have columns, lists of values one cell") {
  CsvTable table;
  table.begin_row();
  table.set("third", 1.0 / 3.0);
  table.set("large", 18446744073709551615ULL);
  table.set("peer_seconds", {{"compute", 1.5}, {"wait", 2}});
  table.set("dropped", {2, 5});
  table.set("per_peer", {{{"peer", 0}}});
  CHECK(table.text() ==
        "third,large,peer_seconds.compute,peer_seconds.wait,dropped\n"
        "0.3333333333333333,18446744073709551615,1.5,2,2 5\n");
}

TEST_CASE(
    "csv: a sweep has a row per evaluation and a row per run, axes in words and in numbers with units") {
  const DataFolder folder;
  folder.write("s.toml", small_sweep);
  REQUIRE(run_program(folder.path(), {"sweep", "s.toml", "--quiet", "--output", "out"}).code == 0);
  const ProgramEnd end = run_program(folder.path(), {"report", "out", "--csv", "tables"});
  REQUIRE(end.code == 0);
  CHECK(end.said == "tables  40 evaluations of 12 runs, in evaluations.csv and runs.csv\n");
  CHECK_FALSE(fs::exists(folder.path() / "report.html"));  // it was not asked for

  const std::vector<Row> evaluations = csv_rows(content_of(folder.path() / "tables/evaluations.csv"));
  REQUIRE(evaluations.size() == 40);  // 8 runs that were not refused, each of 5 evaluations
  const Row& first = evaluations.front();
  CHECK(first.at("folder") == "out/plain/1-mbit-s_1-ms");
  CHECK(first.at("run") == "small");
  CHECK(first.at("variant") == "plain");
  CHECK(first.at("network.bandwidth") == "1 Mbit/s");
  CHECK(first.at("network.bandwidth_bit_per_s") == "1000000.0");
  CHECK(first.at("network.latency_s") == "0.001");
  CHECK(first.at("seed") == "9");
  CHECK(first.at("iteration") == "0");
  CHECK(first.at("accuracy").empty());
  CHECK(first.at("peer_seconds.compute") == "0.0");
  CHECK(evaluations[39].at("variant") == "8 \"bits\", linf");
  CHECK(evaluations[39].at("network.bandwidth") == "unlimited");
  CHECK(evaluations[39].at("network.bandwidth_bit_per_s").empty());
  CHECK(evaluations[39].at("iteration") == "20");

  const std::vector<Row> runs = csv_rows(content_of(folder.path() / "tables/runs.csv"));
  REQUIRE(runs.size() == 12);
  CHECK(runs[7].at("status") == "done");
  CHECK(runs[7].at("loss") == evaluations[39].at("loss"));
  CHECK(runs[7].at("seconds") == evaluations[39].at("seconds"));
  CHECK(runs[7].at("peers") == "4");
  CHECK(runs[7].at("virtual") == "true");
  CHECK(runs[8].at("variant") == "too coarse");
  CHECK(runs[8].at("status") == "refused");
  CHECK(runs[8].at("network.latency_s") == "0.001");
  CHECK(runs[8].at("loss").empty());
  CHECK(contains(runs[8].at("note"), "allow_unsound"));
}

TEST_CASE("csv: the axes of a sweep stand before the metrics, also if a run without axes comes first") {
  ExportedRun alone;
  alone.run.course = {{{"iteration", 0}, {"loss", 1.5}}};
  ExportedRun point = alone;
  point.axes = {{"network.latency", "5 ms"}, {"topology.peers", "4"}};
  CHECK(evaluation_table({alone, point}).text() ==
        "folder,run,variant,network.latency,network.latency_s,topology.peers,seed,iteration,loss\n"
        ",,,,,,,0,1.5\n"
        ",,,5 ms,0.005,4,,0,1.5\n");
}

TEST_CASE("csv: a run that was cut off has its evaluations, and its last one in the row of the run") {
  const DataFolder folder;
  fs::create_directories(folder.path() / "cut");
  folder.write("cut/run.toml", "[run]\nname = \"cut\"\nseed = 3\n[topology]\npeers = 4\n");
  const std::string line = "{\"iteration\":0,\"epoch\":0.0,\"seconds\":0.0,\"loss\":0.1234567890123}\n";
  folder.write(
      "cut/metrics.jsonl",
      line +
          "not a line\n{\"iteration\":5,\"epoch\":1.5,\"seconds\":2.5,\"loss\":0.1}\n{\"iteration\":10,\"lo");
  const ProgramEnd end = run_program(folder.path(), {"report", "cut", "--csv", "deep/tables", "--quiet"});
  REQUIRE(end.code == 0);
  CHECK(end.said.empty());
  CHECK(contains(end.complained, "cut: metrics.jsonl, line 2: no evaluation, left out"));
  const std::vector<Row> evaluations = csv_rows(content_of(folder.path() / "deep/tables/evaluations.csv"));
  REQUIRE(evaluations.size() == 2);
  CHECK(evaluations[0].at("loss") == "0.1234567890123");
  const std::vector<Row> runs = csv_rows(content_of(folder.path() / "deep/tables/runs.csv"));
  REQUIRE(runs.size() == 1);
  CHECK(runs[0].at("status") == "unfinished");
  CHECK(runs[0].at("run") == "cut");
  CHECK(runs[0].at("iterations") == "5");
  CHECK(runs[0].at("epochs") == "1.5");
  CHECK(runs[0].at("seed") == "3");
  CHECK(runs[0].at("peers") == "4");
}

TEST_CASE("csv: an earlier export is replaced with --overwrite only, a user's own table never") {
  const DataFolder folder;
  folder.write(
      "one.toml",
      "run = { name = \"one\", iterations = 5 }\nmodel.kind = \"quadratic(5)\"\ntopology.peers = 2\n");
  REQUIRE(run_program(folder.path(), {"simulate", "one.toml", "--quiet"}).code == 0);
  const std::vector<std::string> report = {"report", "runs/one", "--csv", "tables"};
  REQUIRE(run_program(folder.path(), report).code == 0);
  const ProgramEnd again = run_program(folder.path(), report);
  CHECK(again.code == 2);
  CHECK(contains(again.complained, "evaluations.csv"));
  CHECK(contains(again.complained, "--overwrite"));
  CHECK(run_program(folder.path(), {"report", "runs/one", "--csv", "tables", "--overwrite"}).code == 0);

  folder.write("tables/runs.csv", "my,own\n");
  CHECK(run_program(folder.path(), {"report", "runs/one", "--csv", "tables", "--overwrite"}).code == 2);
  CHECK(content_of(folder.path() / "tables/runs.csv") == "my,own\n");
  const ProgramEnd file = run_program(folder.path(), {"report", "runs/one", "--csv", "one.toml"});
  CHECK(file.code == 2);
  CHECK(contains(file.complained, "it is a file; expected a folder"));
}

TEST_CASE("report: with --output beside an export there are both, a point outside of its sweep is refused") {
  const DataFolder folder;
  folder.write(
      "one.toml",
      "run = { name = \"one\", iterations = 5 }\nmodel.kind = \"quadratic(5)\"\ntopology.peers = 2\n");
  REQUIRE(run_program(folder.path(), {"simulate", "one.toml", "--quiet"}).code == 0);
  CHECK(run_program(folder.path(), {"report", "runs/one", "--csv", "tables", "--tensorboard", "events",
                                    "--output", "page.html", "--quiet"})
            .code == 0);
  for (const char* made : {"tables/runs.csv", "events/one", "page.html"})
    CHECK(fs::exists(folder.path() / made));

  fs::create_directories(folder.path() / "sweep");
  folder.write("sweep/sweep.json", R"({"points":[{"folder":"../runs/one","variant":"","axes":{}}]})");
  CHECK(
      contains(misuse_text([&] { exported_runs({folder.path() / "sweep"}); }), "is no folder of this sweep"));
}

}  // namespace hearsay::test::csv_test
