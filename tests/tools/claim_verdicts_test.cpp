#include "tools/sweep/claim_verdicts.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace hearsay::claim_verdicts_test {

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

TEST_CASE("claim verdicts: numbers that differ look different beside each other, and no digit is wasted") {
  const Sweep sweep = sweep_with("figure = \"loss\"\nascending = [\"low\", \"high\"]");
  const auto measured = [&](double low, double high) {
    return verdict_of(sweep, {low, high}).measured.front();
  };
  CHECK(measured(0.0122411, 0.0122412) == "low 0.0122411 < high 0.0122412");
  CHECK(measured(0.0122412, 0.0122411) == "low 0.0122412 not < high 0.0122411");
  CHECK(measured(0.0122411, 0.0122499) == "low 0.01224 < high 0.01225");
  CHECK(measured(0.0122411, 0.0122411) == "low 0.01224 not < high 0.01224");
  const double above_one = std::nextafter(1.0, 2.0);
  CHECK(measured(1.0, above_one) == "low 1 < high 1.0000000000000002");
}

TEST_CASE(
    "claim verdicts: bytes and messages say whose they are, and the record says where a claim is to hold") {
  const Sweep sweep =
      sweep_with("figure = \"bytes_sent\"\nascending = [\"low\", \"high\", 7]\nat.topology.peers = 8",
                 "topology.peers = [4, 8]");
  const auto record = record_of(verdicts_on(sweep, {})).front();
  CHECK(record["of"] == "bytes sent by all peers");
  CHECK(record["at"] == Json::parse(R"json({"topology.peers": ["8"]})json"));
  CHECK(record["bounds"] == Json::parse("[7.0]"));
  const auto words = [](const std::string& claim) {
    return record_of(verdicts_on(sweep_with(claim + "\nascending = [\"high\", 1]"), {})).front()["of"];
  };
  CHECK(words("figure = \"messages_sent\"") == "messages sent by all peers");
  CHECK(words("figure = \"bytes_to_target\"") == "bytes sent per peer to the target");
  CHECK(words("figure = \"consensus_distance\"\nminus = 0.5") == "consensus distance minus 0.5");
  CHECK(words("figure = \"loss\"\nminus = \"0.5 * low\"") == "loss minus that of 0.5 * low");
}

TEST_CASE("claim verdicts: what did not reproduce is said below the claims, a line each") {
  CHECK(not_reproduced_text(sweep_with("diverge = [\"low\"]", "not_reproduced = [\"A.\", \"B.\"]")) ==
        "\nDid not reproduce:\n    A.\n    B.\n");
  CHECK(not_reproduced_text(sweep_with("diverge = [\"low\"]")).empty());
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
    "figure": "loss", "minus": "low", "of": "loss minus that of low", "at": {}, "bounds": [10.0],
    "measured": ["high 2 < 10"]}])json"));
  CHECK(text_of(verdicts_on(sweep, rows)) == "\nholds: it is so\n    loss minus that of low: high 2 < 10\n");
  CHECK(record_of(verdicts_on(sweep, {})).front()["holds"] == nullptr);
}

}  // namespace hearsay::claim_verdicts_test
