#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/line_checksum.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tools/report/report_data.hpp"

namespace hearsay::test::damaged_record_test {

TEST_CASE("report: a record that was changed, or lost its end, is refused with file and line") {
  const DataFolder folder;
  const auto run = folder.path() / "run";
  std::filesystem::create_directories(run);
  folder.write("run/run.toml", "[model]\nkind = \"quadratic(4)\"\n");
  LineChecksum checksum;
  std::string metrics;
  for (const char* line : {R"({"iteration":0,"loss":2.5})", R"({"iteration":5,"loss":1.5})"})
    metrics += checksum.line(line) + "\n";
  folder.write("run/metrics.jsonl", metrics);
  const std::string summary =
      checksummed_text({{"schema", 1}, {"loss", 1.5}, {"crc32_of", {{"metrics.jsonl", checksum.text()}}}});
  folder.write("run/summary.json", summary);
  const auto point = [&] { return report_data({run}).json()["groups"][0]["points"][0]; };
  CHECK(point()["evaluations"] == 2);
  for (const char* member : {"crc32", "crc32_of"}) CHECK_FALSE(point()["facts"].contains(member));

  const auto complaint = [&] { return misuse_text(point); };
  std::string changed = metrics;
  changed[changed.find("1.5")] = '7';
  folder.write("run/metrics.jsonl", changed);
  CHECK(contains(complaint(), "run/metrics.jsonl, line 2: it was changed after it was written"));
  folder.write("run/metrics.jsonl", metrics.substr(0, metrics.find('\n') + 1));
  CHECK(contains(complaint(), "run/metrics.jsonl, line 1: it is not the last line of the run"));
  folder.write("run/metrics.jsonl", metrics);
  changed = summary;
  changed[changed.find("1.5")] = '7';
  folder.write("run/summary.json", changed);
  CHECK(contains(complaint(), "run/summary.json: it was changed after it was written"));
}

}  // namespace hearsay::test::damaged_record_test
