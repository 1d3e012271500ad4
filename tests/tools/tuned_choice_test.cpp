#include "tools/sweep/tuned_choice.hpp"

#include <doctest/doctest.h>

#include <optional>

#include "tests/support/misuse_text.hpp"
#include "tools/sweep/sweep_table.hpp"

namespace hearsay::tuned_choice_test {

using Json = nlohmann::ordered_json;

namespace {

/// One variant with two tuning seeds for each of the step sizes 0.1, 0.2 and 0.4.
Sweep example(const std::string& target = "run.target_loss = 1\n") {
  return parse_sweep(target + R"toml(
run.output = "o"
[sweep]
repeat = 2
tune = ["algorithm.step_size"]
algorithm.step_size = [0.1, 0.2, 0.4]
[[sweep.variant]]
name = "A"
)toml",
                     "/runfiles", {}, "test.toml");
}

struct Tried {
  std::optional<double> seconds;  ///< to the target
  double loss = 1.0;
  bool diverged = false;
};

TunedChoice choice(const Sweep& sweep, const std::vector<Tried>& tried) {
  const Sweep tuning = tuning_of(sweep);
  std::vector<SweepRow> rows;
  for (std::size_t k = 0; k < tried.size(); ++k) {
    rows.emplace_back(tuning.points[k]);
    rows.back().exit_code = tried[k].diverged ? exit_diverged : exit_done;
    rows.back().take({{"loss", tried[k].loss}});
    if (tried[k].seconds) rows.back().summary["seconds_to_target"] = *tried[k].seconds;
  }
  const std::vector<TunedChoice> choices = tuned_choices(sweep, tuning, rows);
  REQUIRE(choices.size() == 1);
  CHECK(choices[0].values.variant == "A");
  CHECK(choices[0].values.axes.empty());
  return choices[0];
}

std::string value(const TunedChoice& choice) { return choice.values.values.at(0).second; }

}  // namespace

TEST_CASE("tuned choice: the least mean seconds to the target") {
  const TunedChoice best = choice(example(), {{3.0}, {3.0}, {1.0}, {4.0}, {9.0}, {2.0}});
  CHECK(value(best) == "0.2");
  CHECK(best.reservation.empty());
}

TEST_CASE("tuned choice: who reaches the target with fewer seeds is behind, however fast") {
  CHECK(value(choice(example(), {{3.0}, {3.0}, {1.0}, {}, {9.0}, {9.0}})) == "0.1");
}

TEST_CASE("tuned choice: of equal seconds the least loss decides, not the place in the grid") {
  CHECK(value(choice(example(), {{2.0, 5.0}, {2.0, 5.0}, {2.0, 3.0}, {2.0, 3.0}, {2.0, 4.0}, {2.0, 4.0}})) ==
        "0.2");
}

TEST_CASE("tuned choice: if nobody reaches the target the least loss decides, and that is said") {
  const TunedChoice best =
      choice(example(), {{{}, 3.0}, {{}, 3.0}, {{}, 2.0}, {{}, 2.0}, {{}, 1.0}, {{}, 9.0}});
  CHECK(value(best) == "0.2");
  CHECK(contains(best.reservation, "no candidate reached the target"));
}

TEST_CASE("tuned choice: without a target the least loss of those that came to their end with most seeds") {
  const TunedChoice best =
      choice(example(""), {{{}, 3.0}, {{}, 3.0}, {{}, 2.0}, {{}, 2.0}, {{}, 0.5}, {{}, 0.1, true}});
  CHECK(value(best) == "0.2");
  CHECK(best.reservation.empty());
}

TEST_CASE("tuned choice: if all diverge the first is taken, and that is said") {
  const TunedChoice best = choice(
      example(),
      {{{}, 3.0, true}, {{}, 3.0, true}, {{}, 2.0, true}, {{}, 2.0, true}, {{}, 1.0, true}, {{}, 1.0, true}});
  CHECK(value(best) == "0.1");
  CHECK(contains(best.reservation, "no candidate came to its end"));
}

TEST_CASE("tuned choice: the table has the chosen value, and says if it is at the edge of the grid") {
  const auto table = [](const std::string& value) {
    const Sweep sweep = with_tuned_values(example(), {{"A", {}, {{"algorithm.step_size", value}}}});
    std::vector<SweepRow> rows;
    for (const SweepPoint& point : sweep.points) {
      rows.emplace_back(point).exit_code = exit_done;
      rows.back().status = "target";
      rows.back().take({{"loss", 1.0}, {"seconds_to_target", 1.0}, {"bytes_to_target", 1.0}});
    }
    return table_of(sweep, rows);
  };
  CHECK(contains(table("0.4"), "0.4 (edge)"));
  CHECK(contains(table("0.4"), "algorithm.step_size = 0.4 is at the edge of its grid: widen it"));
  CHECK(contains(table("0.2"), "algorithm.step_size"));
  CHECK_FALSE(contains(table("0.2"), "edge"));
}

}  // namespace hearsay::tuned_choice_test
