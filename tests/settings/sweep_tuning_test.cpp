#include "runtime/settings/sweep_tuning.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "tests/support/misuse_text.hpp"

namespace hearsay::sweep_tuning_test {

namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

Sweep parse(const std::string& toml) { return parse_sweep(toml, "/runfiles", {}, "test.toml"); }
std::string refusal(const std::string& toml) {
  return misuse_text([&] { tuning_of(parse(toml)); });
}

const std::string example = R"toml(
[run]
output = "o"
[sweep]
repeat = 5
tune = ["algorithm.step_size"]
algorithm.step_size = [0.1, 0.2, 0.4]
algorithm.batch = [16, 32]
[[sweep.variant]]
name = "A"
[[sweep.variant]]
name = "tuning"
)toml";

}  // namespace

TEST_CASE("tuning: a tuned axis is no axis of the points, but makes candidates that share a folder") {
  const Sweep sweep = parse(example);
  REQUIRE(sweep.points.size() == 2 * 2 * 3 * 5);
  REQUIRE(sweep.tuned.size() == 1);
  CHECK(sweep.tuned[0].values == std::vector<std::string>{"0.1", "0.2", "0.4"});
  CHECK(sweep.points[5].axes == Values{{"algorithm.batch", "16"}});
  CHECK(sweep.points[5].tuned == Values{{"algorithm.step_size", "0.2"}});
  CHECK(sweep.points[5].run.algorithm.step_size == 0.2);
  CHECK(sweep.points[5].folder == "/runfiles/o/a/16/seed-1");
  CHECK(sweep.points[5].folder == sweep.points[0].folder);
  CHECK(sweep.points[30].folder == "/runfiles/o/tuning-2/16/seed-1");  // o/tuning is taken
}

TEST_CASE("tuning: the candidates are tried with other seeds than those that are reported") {
  const Sweep sweep = parse(example);
  const Sweep tuning = tuning_of(sweep);
  CHECK(tuning.output == "/runfiles/o/tuning");
  CHECK(tuning.repeats == 3);
  REQUIRE(tuning.points.size() == 2 * 2 * 3 * 3);
  std::set<std::uint64_t> reported;
  for (const SweepPoint& point : sweep.points) reported.insert(point.run.run.seed);
  std::set<std::filesystem::path> folders;
  for (const SweepPoint& point : tuning.points) {
    CHECK_FALSE(reported.contains(point.run.run.seed));
    CHECK(folders.insert(point.folder).second);
    CHECK(point.tuned.empty());
    CHECK(point.axes.size() == 2);
  }
  CHECK(tuning.points[4].axes == Values{{"algorithm.batch", "16"}, {"algorithm.step_size", "0.2"}});
  CHECK(tuning.points[4].run.run.seed == 1'000'002);
  CHECK(tuning.points[4].folder == "/runfiles/o/tuning/a/16/0.2/seed-1000002");
  CHECK(tuning_of(
            parse("[sweep]\nrun.seed = [1000001, 1]\ntune = [\"algorithm.batch\"]\nalgorithm.batch = [1, 2]"))
            .points[0]
            .run.run.seed == 2'000'001);
}

TEST_CASE("tuning: of the candidates those with the chosen values are left") {
  const Sweep sweep = parse(example);
  const Sweep tuned =
      with_tuned_values(sweep, {{"A", {{"algorithm.batch", "32"}}, {{"algorithm.step_size", "0.4"}}}});
  REQUIRE(tuned.points.size() == 5);
  for (const SweepPoint& point : tuned.points) {
    CHECK(point.variant == "A");
    CHECK(point.run.algorithm.step_size == 0.4);
    CHECK(point.run.algorithm.batch == 32u);
  }
}

TEST_CASE("tuning: without variants and other axes the result stands beside the candidates") {
  const Sweep sweep =
      parse("run.output = \"o\"\n[sweep]\ntune = [\"algorithm.batch\"]\nalgorithm.batch = [1, 2]\n");
  CHECK(sweep.points[0].folder == "/runfiles/o/tuned");
  CHECK(tuning_of(sweep).points[1].folder == "/runfiles/o/tuning/tuned/2");
}

TEST_CASE("tuning: the least and the greatest number of a grid are at its edge, words never are") {
  const TunedAxis numbers{"algorithm.step_size", {"0.2", "0.05", "1e-1"}};
  CHECK(is_at_the_edge(numbers, "0.2"));
  CHECK(is_at_the_edge(numbers, "0.05"));
  CHECK_FALSE(is_at_the_edge(numbers, "1e-1"));
  CHECK_FALSE(is_at_the_edge({"algorithm.batch", {"16", "32", "full"}}, "16"));
  CHECK_FALSE(is_at_the_edge({"algorithm.step_schedule", {"constant", "inverse"}}, "constant"));
}

TEST_CASE("tuning: what makes no sense is refused with its place") {
  const std::string axis = "algorithm.step_size = [0.1, 0.2]\n";
  CHECK(contains(refusal("[sweep]\n" + axis + "tune = \"algorithm.step_size\""),
                 "test.toml:3: sweep.tune = \"algorithm.step_size\": expected an array of keys of axes"));
  CHECK(contains(refusal("[sweep]\n" + axis + "tune = []"), "expected an array of keys of axes"));
  CHECK(contains(refusal("[sweep]\n" + axis + "tune = [3]"), "sweep.tune = 3: expected"));
  CHECK(contains(refusal("[sweep]\n" + axis + "tune = [\"algorithm.batch\"]"),
                 "sweep.tune = \"algorithm.batch\": expected the key of an axis of [sweep]"));
  CHECK(contains(refusal("[sweep]\n" + axis + "tune = [\"algorithm.step_size\", \"algorithm.step_size\"]"),
                 "each key once"));
  CHECK(contains(refusal("[sweep]\nalgorithm.step_size = [0.1]\ntune = [\"algorithm.step_size\"]"),
                 "at least two values to choose from"));
  CHECK(
      contains(refusal("[sweep]\nrun.seed = [1, 2]\ntune = [\"run.seed\"]"), "expected the key of an axis"));
  for (const std::string length : {"run.iterations", "run.epochs"})
    CHECK(contains(refusal("[sweep]\n" + length + " = [10, 20]\ntune = [\"" + length + "\"]"),
                   "expected another axis, since the longest run would mostly be the best"));
  CHECK(contains(
      refusal("run.seed = 9223372036854775000\n[sweep]\n" + axis + "tune = [\"algorithm.step_size\"]"),
      "expected a smaller one"));
}

}  // namespace hearsay::sweep_tuning_test
