#include "tools/sweep/sweep_unit.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "runtime/settings/run_settings_file.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::sweep_unit_test {

namespace {

using Json = nlohmann::ordered_json;

const char* const four_points = R"toml(
[run]
output = "odd $$name"
[model]
kind = "mlp(8)"
[topology]
peers = 4
[network]
compute = "lognormal(20 ms, 0.3)"
[[network.link]]
from = 0
to = 1
latency = "3 ms"
[sweep]
repeat = 2
[[sweep.variant]]
name = "A, \"4 bit\""
algorithm.kind = "dcd-psgd"
[[sweep.variant]]
name = "B"
algorithm.step_size = 0.01
)toml";

Sweep sweep_of_four() { return parse_sweep(four_points, "/home", {}, "s.toml"); }

/// As it is read from a file.
Json written(const Json& record) { return Json::parse(record.dump()); }

}  // namespace

TEST_CASE("sweep unit: points arrive with all their settings, folders and names") {
  const Sweep sweep = sweep_of_four();
  REQUIRE(sweep.points.size() == 4);
  std::vector<std::size_t> places(sweep.points.size());
  std::iota(places.begin(), places.end(), 0);
  const std::vector<SweepPoint> arrived = points_from_json(written(unit_to_json(sweep, places)));
  REQUIRE(arrived.size() == sweep.points.size());
  for (std::size_t k = 0; k < arrived.size(); ++k) {
    CHECK(arrived[k].variant == sweep.points[k].variant);
    CHECK(arrived[k].axes == sweep.points[k].axes);
    CHECK(arrived[k].folder == sweep.points[k].folder);
    CHECK(to_toml(arrived[k].run) == to_toml(sweep.points[k].run));
    CHECK(SweepRow(arrived[k]).settings == SweepRow(sweep.points[k]).settings);
  }
}

TEST_CASE("sweep unit: rows come back as they were, each to its point") {
  const Sweep sweep = sweep_of_four();
  std::vector<SweepRow> rows;
  for (const SweepPoint& point : sweep.points) rows.emplace_back(point);
  rows[1].status = "diverged";
  rows[1].exit_code = exit_diverged;
  rows[1].note = "a note";
  rows[1].summary = {{"loss", 0.1}, {"seconds", nullptr}};
  const Json back = written(rows_to_json(rows, sweep.output));
  const SweepRow row = row_from_json(back, sweep.points[1], sweep.output);
  CHECK(row.point == &sweep.points[1]);
  CHECK(row.status == "diverged");
  CHECK(row.exit_code == exit_diverged);
  CHECK(row.note == "a note");
  CHECK(row.summary == rows[1].summary);
  CHECK(row_from_json(back, sweep.points[0], sweep.output).summary.is_null());
  rows.pop_back();
  CHECK(contains(
      misuse_text([&] { row_from_json(rows_to_json(rows, sweep.output), sweep.points[3], sweep.output); }),
      "a task of the sweep has left no result of "));
}

TEST_CASE("sweep unit: a plan is that of the same program, or refused") {
  SweepPlan plan{sweep_of_four(), PointsAre::candidates, {}, 7, 3};
  plan.options.save = SaveModels::peers;
  plan.options.per_peer = true;
  plan.options.threads = 5;
  plan.options.command = "hearsay sweep s.toml";
  Json sent = written(to_json(plan));
  const SweepPlan arrived = plan_from_json(sent);
  CHECK(arrived.sweep.output == plan.sweep.output);
  CHECK(arrived.sweep.driver == plan.sweep.driver);
  CHECK(arrived.sweep.repeats == 2);
  CHECK(arrived.points == PointsAre::candidates);
  CHECK(arrived.options.save == SaveModels::peers);
  CHECK(arrived.options.per_peer);
  CHECK(arrived.options.threads == 5);
  CHECK(arrived.options.command == "hearsay sweep s.toml");
  CHECK(arrived.units == 7);
  CHECK(arrived.tasks == 3);
  sent["version"] = "0.0.1";
  CHECK(contains(misuse_text([&] { plan_from_json(sent); }),
                 "the sweep was handed out by hearsay 0.0.1, and this is "));
}

}  // namespace hearsay::test::sweep_unit_test
