#include "tools/sweep/claim_verdicts.hpp"

#include <doctest/doctest.h>

using namespace hearsay;
using Json = nlohmann::ordered_json;

namespace {

Sweep sweep_with(const std::string& claim, const std::string& more = "") {
  return parse_sweep("run.output = \"o\"\nrun.target_loss = 1\n[sweep]\n" + more + R"toml(
[[sweep.variant]]
name = "low"
[[sweep.variant]]
name = "high"
[[sweep.claim]]
says = "it is so"
)toml" + claim,
                     "/runfiles", {}, "test.toml");
}

SweepRow row_of(const SweepPoint& point, double loss) {
  SweepRow row(point);
  row.status = "done";
  row.exit_code = exit_done;
  row.take({{"loss", loss}, {"accuracy", 0.5}, {"seconds_to_target", nullptr}});
  return row;
}

SweepRow diverged(const SweepPoint& point) {
  SweepRow row(point);
  row.status = "diverged";
  row.exit_code = exit_diverged;
  row.take({{"loss", nullptr}, {"accuracy", nullptr}, {"seconds_to_target", nullptr}});
  return row;
}

/// Returns the verdict on the only claim, given the losses of the points in their order.
ClaimVerdict verdict_of(const Sweep& sweep, const std::vector<double>& losses) {
  std::vector<SweepRow> rows;
  for (std::size_t k = 0; k < losses.size(); ++k) rows.push_back(row_of(sweep.points[k], losses[k]));
  return verdicts_on(sweep, rows).front();
}

}  // namespace

TEST_CASE("claim verdicts: an order flips with the figures, and an equal figure is no order") {
  const Sweep sweep = sweep_with("figure = \"loss\"\nascending = [\"2 * low\", \"high\", 10]");
  CHECK(verdict_of(sweep, {1.0, 2.1}).verdict == Verdict::holds);
  CHECK(verdict_of(sweep, {1.0, 2.0}).verdict == Verdict::fails);
  CHECK(verdict_of(sweep, {1.0, 10.5}).verdict == Verdict::fails);
  CHECK(verdict_of(sweep, {1.0, 2.1}).measured == std::vector<std::string>{"2 * low 2 < high 2.1 < 10"});
  CHECK(verdict_of(sweep, {1.0, 1.5}).measured == std::vector<std::string>{"2 * low 2 not < high 1.5 < 10"});
}

TEST_CASE(
    "claim verdicts: what is taken from a figure is taken from every multiple of it, and from no bound") {
  const Sweep sweep = sweep_with("figure = \"loss\"\nminus = 1.0\nascending = [\"2 * low\", \"high\", 3]");
  CHECK(verdict_of(sweep, {1.5, 2.1}).verdict == Verdict::holds);  // 1 < 1.1 < 3
  CHECK(verdict_of(sweep, {1.5, 1.9}).verdict == Verdict::fails);  // 1 not < 0.9
  CHECK(verdict_of(sweep, {1.5, 4.1}).verdict == Verdict::fails);  // 3.1 not < 3
  const Sweep least = sweep_with("figure = \"loss\"\nminus = \"low\"\nascending = [0.5, \"high\"]");
  CHECK(verdict_of(least, {1.0, 1.6}).verdict == Verdict::holds);
  CHECK(verdict_of(least, {1.0, 1.4}).verdict == Verdict::fails);
}

TEST_CASE("claim verdicts: a claim is of every place on the axes, or of those that it names") {
  const std::string axis = "topology.peers = [4, 8]";
  const std::string order = "figure = \"loss\"\nascending = [\"low\", \"high\"]";
  const std::vector<double> flipped = {1.0, 3.0, 2.0, 2.0};  // low at 4 and 8, high at 4 and 8
  CHECK(verdict_of(sweep_with(order, axis), flipped).verdict == Verdict::fails);
  CHECK(verdict_of(sweep_with(order + "\nat.topology.peers = 4", axis), flipped).verdict == Verdict::holds);
  CHECK(verdict_of(sweep_with(order + "\nat.topology.peers = [8]", axis), flipped).verdict == Verdict::fails);
}

TEST_CASE("claim verdicts: with repeats it is the mean that counts, and every seed has to be there") {
  const Sweep sweep = sweep_with("figure = \"loss\"\nascending = [\"low\", \"high\"]", "repeat = 2");
  CHECK(verdict_of(sweep, {1.0, 4.0, 3.0, 3.0}).verdict == Verdict::holds);
  CHECK(verdict_of(sweep, {1.0, 5.5, 3.0, 3.0}).verdict == Verdict::fails);
  CHECK(verdict_of(sweep, {1.0, 4.0, 3.0}).verdict == Verdict::not_tried);
}

TEST_CASE("claim verdicts: what diverged or missed the target is as bad as can be") {
  const Sweep loss = sweep_with("figure = \"loss\"\nascending = [\"low\", \"high\"]");
  CHECK(verdicts_on(loss, {row_of(loss.points[0], 1.0), diverged(loss.points[1])}).front().verdict ==
        Verdict::holds);
  CHECK(verdicts_on(loss, {diverged(loss.points[0]), row_of(loss.points[1], 1.0)}).front().verdict ==
        Verdict::fails);
  const Sweep accuracy = sweep_with("figure = \"accuracy\"\nascending = [\"low\", \"high\"]");
  CHECK(verdicts_on(accuracy, {diverged(accuracy.points[0]), row_of(accuracy.points[1], 1.0)})
            .front()
            .verdict == Verdict::holds);
  const Sweep target = sweep_with("figure = \"seconds_to_target\"\nascending = [\"low\", 1e9]");
  CHECK(verdict_of(target, {1.0, 1.0}).verdict == Verdict::fails);
}

TEST_CASE("claim verdicts: who is said to diverge has to, with every seed") {
  const Sweep sweep = sweep_with("diverge = [\"low\"]", "repeat = 2");
  const auto verdict = [&](SweepRow first, SweepRow second) {
    return verdicts_on(sweep, {std::move(first), std::move(second)}).front();
  };
  CHECK(verdict(diverged(sweep.points[0]), diverged(sweep.points[1])).verdict == Verdict::holds);
  CHECK(verdict(diverged(sweep.points[0]), row_of(sweep.points[1], 1.0)).verdict == Verdict::fails);
  CHECK(verdict(diverged(sweep.points[0]), row_of(sweep.points[1], 1.0)).measured ==
        std::vector<std::string>{"low diverged with 1 of 2 seeds"});
}

TEST_CASE("claim verdicts: a variant that was refused has no figure, and the claim fails") {
  const Sweep sweep = sweep_with("figure = \"loss\"\nascending = [\"low\", \"high\"]");
  CHECK(verdicts_on(sweep, {SweepRow(sweep.points[0]), row_of(sweep.points[1], 1.0)}).front().verdict ==
        Verdict::fails);
}

TEST_CASE("claim verdicts: the record and the text say what was measured") {
  const Sweep sweep = sweep_with("figure = \"loss\"\nminus = \"low\"\nascending = [\"high\", 10]");
  const std::vector<SweepRow> rows = {row_of(sweep.points[0], 1.0), row_of(sweep.points[1], 3.0)};
  CHECK(record_of(verdicts_on(sweep, rows)) == Json::parse(R"json([{"says": "it is so", "holds": true,
    "figure": "loss", "minus": "low", "measured": ["high 2 < 10"]}])json"));
  CHECK(text_of(verdicts_on(sweep, rows)) == "\nholds: it is so\n    loss less that of low: high 2 < 10\n");
  CHECK(record_of(verdicts_on(sweep, {})).front()["holds"] == nullptr);
}
