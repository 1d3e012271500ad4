#include "runtime/settings/sweep_claims.hpp"

#include <doctest/doctest.h>

#include "runtime/settings/sweep_settings.hpp"
#include "runtime/settings/sweep_tuning.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::sweep_claims_test {

namespace {

const std::string two_variants = R"toml(
run.output = "o"
[sweep]
topology.kind = ["ring", "complete"]
topology.peers = [4, 8]
[[sweep.variant]]
name = "A"
[[sweep.variant]]
name = "2 * B"
)toml";

Sweep parse(const std::string& claim) {
  return parse_sweep(two_variants + "[[sweep.claim]]\nsays = \"it is so\"\n" + claim, "/runfiles", {},
                     "test.toml");
}

std::string refusal(const std::string& claim) {
  return misuse_text([&] { static_cast<void>(parse(claim)); });
}

}  // namespace

TEST_CASE("claims: terms are variants, multiples of variants, and numbers") {
  const Sweep sweep = parse(
      "figure = \"loss\"\nminus = \"A\"\nascending = [1e-3, \"A\", \"0.5 * A\", \"3 * 2 * B\"]\n"
      "at.topology.kind = \"ring\"\nat.topology.peers = [4, 8]");
  REQUIRE(sweep.claims.size() == 1);
  const SweepClaim& claim = sweep.claims.front();
  CHECK(claim.says == "it is so");
  CHECK(claim.figure == "loss");
  CHECK(claim.minus.variant == "A");
  REQUIRE(claim.ascending.size() == 4);
  CHECK(claim.ascending[0].variant.empty());
  CHECK(claim.ascending[0].factor == 1e-3);
  CHECK(claim.ascending[1].factor == 1.0);
  CHECK(claim.ascending[2].variant == "A");
  CHECK(claim.ascending[2].factor == 0.5);
  CHECK(claim.ascending[3].variant == "2 * B");  // the rest is the name, whatever it is
  CHECK(claim.ascending[3].factor == 3.0);
  REQUIRE(claim.at.size() == 2);
  CHECK(claim.at[0] == std::pair<std::string, std::vector<std::string>>{"topology.kind", {"ring"}});
  CHECK(claim.at[1].second == std::vector<std::string>{"4", "8"});
}

TEST_CASE("claims: variants that diverge need no figure, and a sweep without claims has none") {
  const Sweep sweep = parse("diverge = [\"A\"]");
  CHECK(sweep.claims.front().diverge == std::vector<std::string>{"A"});
  CHECK(parse_sweep(two_variants, "/runfiles", {}, "test.toml").claims.empty());
  CHECK(tuning_of(sweep).claims.empty());
}

TEST_CASE("claims: what cannot be judged is refused, with what was expected") {
  CHECK(contains(refusal("figure = \"loss\"\nascending = [\"A\", \"C\"]"), "which is no variant"));
  CHECK(contains(refusal("figure = \"loss\"\nascending = [\"A\"]"),
                 "expected an array of variants and numbers"));
  CHECK(contains(refusal("figure = \"loss\"\nascending = [1, 2]"), "at least one variant among the numbers"));
  CHECK(contains(refusal("figure = \"lost\"\nascending = [\"A\", 2]"), "expected one of loss, accuracy"));
  CHECK(contains(refusal("ascending = [\"A\", 2]"), "figure"));
  CHECK(contains(refusal("figure = \"loss\""), "either ascending"));
  CHECK(
      contains(refusal("diverge = [\"A\"]\nfigure = \"loss\"\nascending = [\"A\", 2]"), "either ascending"));
  CHECK(contains(refusal("diverge = [\"A\"]\nat.topology.kind = \"star\""),
                 "where the sweep has \"ring\", \"complete\""));
  CHECK(
      contains(refusal("diverge = [\"A\"]\nat.network.latency = \"1 ms\""), "which is no axis of the sweep"));
  CHECK(contains(refusal("diverge = [\"A\"]\nfigures = \"loss\""), "unknown key"));
}

TEST_CASE("claims: one of a figure that no run will have is refused before the first run") {
  for (const std::string figure : {"seconds_to_target", "bytes_to_target", "rounds_to_target"}) {
    CAPTURE(figure);
    const std::string claim = "figure = \"" + figure + "\"\nascending = [\"A\", 2]\n";
    CHECK(contains(refusal(claim), "the claim \"it is so\" is of " + figure +
                                       ", which \"A\" does not have without run.target_loss"));
    const std::string file = two_variants + "[[sweep.claim]]\nsays = \"it is so\"\n" + claim;
    CHECK(parse_sweep(file, "/runfiles", {"run.target_loss=0.5"}, "test.toml").claims.size() == 1);
  }
  CHECK(contains(refusal("figure = \"loss_worst\"\nascending = [\"A\", 2]"),
                 "without run.evaluate = \"peers\""));
  CHECK(contains(refusal("figure = \"loss\"\nascending = [\"0 * A\", \"2 * B\"]"), "a factor other than 0"));
}

}  // namespace hearsay::sweep_claims_test
