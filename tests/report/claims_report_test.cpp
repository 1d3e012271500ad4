#include <doctest/doctest.h>

#include <limits>

#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"
#include "tools/report/course.hpp"
#include "tools/report/report_data.hpp"

namespace hearsay::test::claims_report_test {

using Json = nlohmann::ordered_json;

// Seven digits of a loss near 0.69 would not tell a gap of 1e-9 from none.
TEST_CASE(
    "report: a page has a sweep's words as they stand, and losses with all digits that claims are about") {
  const DataFolder folder;
  folder.write("s.toml", R"toml(
run.iterations = 3
model.kind = "quadratic(8)"
topology.peers = 3
algorithm.batch = "full"
[sweep]
driver = "simulate"
title = "A 2019: B"
about = ["C."]
not_reproduced = ["D."]
[[sweep.variant]]
name = "low"
[[sweep.variant]]
name = "high"
algorithm.step_size = 0.01
[[sweep.claim]]
says = "it is so"
figure = "loss"
minus = "low"
ascending = [0, "high"]
)toml");
  REQUIRE(run_program(folder.path(), {"sweep", "s.toml", "--output", "out", "--quiet"}).code == 0);
  const Json record = Json::parse(content_of(folder.path() / "out/sweep.json"));
  const Json group = report_data({folder.path() / "out"}).json()["groups"][0];
  CHECK(group["title"] == "A 2019: B");
  CHECK(group["about"] == Json{"C."});
  CHECK(group["not_reproduced"] == Json{"D."});
  CHECK(group["claims"] == record["claims"]);
  CHECK(group["claims"][0]["bounds"] == Json{0.0});
  for (std::size_t k = 0; k < 2; ++k)
    CHECK(group["points"][k]["facts"]["loss"].get<double>() == record["points"][k]["loss"].get<double>());
}

TEST_CASE(
    "report: losses of the training have all digits, so that a gap of 1e-12 between them can be drawn") {
  const double least = 0.20231545728654913;
  const Course course = {{{"iteration", 0}, {"loss", least + 1e-12}, {"accuracy", 0.123456789012}},
                         {{"iteration", 5}, {"loss", least}, {"accuracy", nullptr}}};
  const auto columns = learned_columns(course, std::nullopt);
  CHECK(columns["loss"][0].get<double>() - columns["loss"][1].get<double>() == (least + 1e-12) - least);
  CHECK(columns["accuracy"] == Json({0.1234568, nullptr}));  // which nothing is taken from
  const Course diverged = {{{"iteration", 0}, {"loss", std::numeric_limits<double>::infinity()}}};
  CHECK(learned_columns(diverged, std::nullopt)["loss"].is_null());
}

}  // namespace hearsay::test::claims_report_test
