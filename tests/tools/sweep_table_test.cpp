#include "tools/sweep/sweep_table.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/support/misuse_text.hpp"
#include "tools/sweep/sweep_cells.hpp"

namespace hearsay::sweep_table_test {

using Json = nlohmann::ordered_json;

namespace {

/// Two variants with four seeds each.
Sweep two_variants(const std::string& more = "run.target_loss = 1\n") {
  return parse_sweep(more + R"toml(
run.output = "o"
[sweep]
repeat = 4
baseline = "slow"
[[sweep.variant]]
name = "slow"
[[sweep.variant]]
name = "quick"
)toml",
                     "/runfiles", {}, "test.toml");
}

SweepRow row_of(const SweepPoint& point, double seconds, double loss = 0.5) {
  SweepRow row(point);
  row.status = seconds > 0.0 ? "target" : "done";
  row.exit_code = exit_done;
  row.take({{"peers", 2},
            {"iterations", 10},
            {"loss", loss},
            {"accuracy", nullptr},
            {"seconds", 9.0},
            {"bytes_sent", 4e6},
            {"seconds_to_target", seconds > 0.0 ? Json(seconds) : Json(nullptr)},
            {"bytes_to_target", seconds > 0.0 ? Json(3e6) : Json(nullptr)},
            {"rounds_to_target", 5},
            {"per_peer", Json::array({1, 2, 3})}});
  return row;
}

std::vector<SweepRow> rows_of(const Sweep& sweep, const std::vector<double>& seconds) {
  std::vector<SweepRow> rows;
  for (std::size_t k = 0; k < seconds.size(); ++k) rows.push_back(row_of(sweep.points[k], seconds[k]));
  return rows;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("sweep table: repeats are one row with mean, interval and deviation, and a paired speed-up") {
  const Sweep sweep = two_variants();
  // Differences between the seeds hide from unpaired means that every seed gains 8 to 12 %.
  const std::vector<SweepRow> rows = rows_of(sweep, {1.1, 2.16, 4.48, 8.8, 1.0, 2.0, 4.0, 8.0});
  const std::vector<SweepCell> cells = cells_of(sweep, rows);
  REQUIRE(cells.size() == 2);
  CHECK(cells[1].figure("seconds_to_target").mean == 3.75);
  CHECK(cells[0].figure("seconds_to_target").low < cells[1].figure("seconds_to_target").high);
  CHECK(cells[1].speed_up.low > 1.0);
  CHECK(cells[1].speed_up.mean == doctest::Approx(std::pow(1.1 * 1.08 * 1.12 * 1.1, 0.25)));
  CHECK(cells[0].speed_up.mean == 1.0);

  const std::vector<std::string> lines = lines_of(table_of(sweep, rows));
  REQUIRE(lines.size() >= 5);
  CHECK(lines[0] ==
        "variant  runs         loss  sd  seconds to target   sd  MB/peer to target  sd  bits  computing      "
        "        "
        "speed-up");
  CHECK(lines[1] ==
        "slow     4 target  0.5 ± 0   0              4 ± 5  3.4              3 ± 0   0     -          -  "
        "1.00x (1.00 to "
        "1.00)");
  CHECK(lines[2] ==
        "quick    4 target  0.5 ± 0   0              4 ± 5  3.1              3 ± 0   0     -          -  "
        "1.10x (1.07 to "
        "1.13)");
  CHECK(lines[4].starts_with("Means over 4 seeds ± half of the 95 % interval"));
}

TEST_CASE("sweep table: times that differ by rounding only are equal") {
  const Sweep sweep = two_variants();
  const double other = std::nextafter(0.2304, 1.0);
  const std::string text =
      table_of(sweep, rows_of(sweep, {0.2304, 0.2304, other, other, 0.2304, other, 0.2304, 0.2304}));
  CHECK(contains(text, " 0.2304 ± 0 "));
  CHECK_FALSE(contains(text, "e-17"));
}

TEST_CASE("sweep table: a repetition that is in no mean is counted and said") {
  const Sweep sweep = two_variants();
  std::vector<SweepRow> rows = rows_of(sweep, {2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 0.0, 1.0});
  rows[7].status = "diverged";
  rows[7].exit_code = exit_diverged;
  rows[7].note = "it diverged";
  const std::vector<SweepCell> cells = cells_of(sweep, rows);
  CHECK(cells[1].figure("seconds_to_target").count == 2);
  CHECK(cells[1].figure("loss").count == 3);
  CHECK(cells[1].speed_up.count == 2);
  const std::string text = table_of(sweep, rows);
  CHECK(contains(text, "2 target, 1 done, 1 diverged"));
  CHECK(contains(text, "\nquick: 3 of 4 came to their end; loss and accuracy are of these only\n"));
  CHECK(contains(text, "\nquick: 2 of 4 reached the target; seconds, MB and speed-up are of these only\n"));
  CHECK_FALSE(contains(text, "slow: "));
  const Json record = record_of(cells);
  CHECK(record[1]["statuses"] == Json({{"target", 2}, {"done", 1}, {"diverged", 1}}));
  CHECK(record[1]["figures"]["seconds_to_target"]["count"] == 2);
  CHECK(record[1]["figures"]["seconds_to_target"]["of"] == 4);
  CHECK(record[1]["figures"]["accuracy"]["mean"].is_null());
}

TEST_CASE("sweep table: repetitions that are still to come are counted, too") {
  const Sweep sweep = two_variants();
  const std::string text = table_of(sweep, rows_of(sweep, {2.0, 3.0}));
  CHECK(contains(text, "2 target, 2 not run"));
  CHECK_FALSE(contains(text, "quick"));
}

TEST_CASE("sweep table: one sentence says what is true at many places") {
  const Sweep sweep = parse_sweep(R"toml(
run.target_loss = 1
[sweep]
repeat = 2
network.latency = ["1 ms", "2 ms", "3 ms"]
)toml",
                                  "/runfiles", {}, "test.toml");
  const std::string text = table_of(sweep, rows_of(sweep, {1.0, 0.0, 1.0, 0.0, 1.0, 1.0}));
  CHECK(contains(text,
                 ": 1 of 2 reached the target; seconds, MB and speed-up are of these only (so at 2 places)"));
  CHECK(std::ranges::count(text, ';') == 2);  // this sentence, and "sd: ..." above it
}

TEST_CASE("sweep table: accuracies have a column if the runs have them") {
  const Sweep repeated = two_variants();
  std::vector<SweepRow> rows = rows_of(repeated, {1.0, 1.0, 1.0, 1.0});
  CHECK_FALSE(contains(table_of(repeated, rows), "accuracy,"));
  for (std::size_t k = 0; k < 4; ++k) rows[k].summary["accuracy"] = 0.90 + 0.012 * static_cast<double>(k);
  CHECK(contains(table_of(repeated, rows), "accuracy, %"));
  CHECK(contains(table_of(repeated, rows), "92 ± 2"));

  const Sweep once = parse_sweep("[[sweep.variant]]\nname = \"A\"\n[[sweep.variant]]\nname = \"B\"\n",
                                 "/runfiles", {}, "test.toml");
  std::vector<SweepRow> points = rows_of(once, {1.0, 1.0});
  CHECK_FALSE(contains(table_of(once, points), "accuracy"));
  points[0].summary["accuracy"] = 0.9375;
  CHECK(contains(table_of(once, points), "loss  accuracy  seconds"));
  CHECK(contains(table_of(once, points), " 93.75 % "));
}

TEST_CASE("sweep rows: what each peer did is not kept in memory") {
  const Sweep sweep = two_variants();
  CHECK_FALSE(row_of(sweep.points[0], 1.0).summary.contains("per_peer"));
}

}  // namespace hearsay::sweep_table_test
