#include <doctest/doctest.h>

#include "algorithms/methods/demo.hpp"
#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::soundness_test {

namespace {

Experiment<double> prepared(const std::string& method, const std::string& compressor, MethodOptions options,
                            bool allow_unsound = false) {
  auto settings = settings_of(method, {"ring", 5}, {.compressor = compressor, .options = std::move(options)});
  settings.algorithm.allow_unsound = allow_unsound;
  return prepare<double>(settings, quadratic_problem<double>(500, first_peers(5), Shared::nothing));
}

std::vector<std::string> warnings(const std::string& method, const std::string& compressor,
                                  MethodOptions options = {}) {
  return prepared(method, compressor, std::move(options)).warnings;
}

std::string refusal(const std::string& method, const std::string& compressor, MethodOptions options = {}) {
  return misuse_text([&] { prepared(method, compressor, std::move(options)); });
}

/// A model of 1,000 parameters whose samples take no memory.
class ManySamples final : public Objective<float> {
 public:
  explicit ManySamples(Index samples) : samples_(samples) {}
  Index dimension() const override { return 1000; }
  Index sample_count() const override { return samples_; }
  double loss(const Vector<float>&) const override { return 0.0; }
  void gradient(const Vector<float>&, std::span<const Index>, Vector<float>&) const override {}

 private:
  Index samples_;
};

}  // namespace

TEST_CASE("soundness: an optimizer that keeps a state draws a warning, sgd none") {
  CHECK(warnings("d-psgd", "none", {{option::optimizer, "sgd"}}).empty());
  const auto found = warnings("d-psgd", "none", {{option::optimizer, "adam"}});
  REQUIRE(found.size() == 1);
  CHECK(found[0] ==
        "algorithm.optimizer = adam: every peer keeps a state of its own, from its own gradients; where the "
        "peers' data differ, the models agree less, and end farther from the optimum, than with sgd");
}

TEST_CASE("soundness: Adam inside of local steps is warned of more clearly if the labels are not shared") {
  const auto found = [](const std::string& partition, std::uint64_t local_steps,
                        const std::string& optimizer) {
    auto settings =
        settings_of("diloco", {"ring", 5},
                    {.options = {{option::optimizer, optimizer}, {option::local_steps, local_steps}}});
    settings.data.partition = partition;
    const auto all =
        prepare<double>(settings, quadratic_problem<double>(500, first_peers(5), Shared::nothing)).warnings;
    REQUIRE(all.size() == 1);
    return all[0];
  };
  CHECK(
      found("by-label", 10, "adamw(0.9, 0.95, 0.1)") ==
      "algorithm.optimizer = adamw(0.9, 0.95, 0.1): with data.partition = by-label and 10 local steps every "
      "peer goes as far as the others, however small its gradients are, and the run settles far from the "
      "optimum; expected sgd, heavy-ball or nesterov");
  for (const std::string& general :
       {found("iid", 10, "adamw"), found("by-label", 1, "adamw"), found("by-label", 10, "heavy-ball")})
    CHECK(contains(general, "every peer keeps a state of its own"));
}

TEST_CASE(
    "soundness: the mean over the senders wants single coefficients, and is warned of if labels differ") {
  const auto found = [](const std::string& partition, const std::string& signs,
                        const std::string& compressor) {
    auto settings = settings_of(
        "demo", {"ring", 5},
        {.compressor = compressor, .options = {{option::signs, signs}, {option::aggregate, "senders-mean"}}});
    settings.data.partition = partition;
    return prepare<double>(settings, quadratic_problem<double>(500, first_peers(5), Shared::nothing))
        .warnings;
  };
  const std::string codec = "dct(chunk=64) | chunk-topk(8/64)";
  CHECK(found("iid", "unsigned", codec).empty());
  CHECK(found("by-label", "signed", codec).empty());
  const auto warned = found("by-label", "unsigned", codec);
  REQUIRE(warned.size() == 1);
  CHECK(contains(warned[0], "what one peer alone sends moves all by its whole length"));
  CHECK_THROWS_AS(found("iid", "unsigned", "topk(10%)"), Misuse);
}

TEST_CASE("soundness: moniqua refuses errors that grow with what is compressed, unless told to try") {
  const std::string sentence =
      ": moniqua needs a compressor whose error does not grow with what it compresses, such as "
      "mod(k=256, step=0.02) (algorithm.allow_unsound = true tries it all the same)";
  CHECK(refusal("moniqua", "dither(linf, levels=127, bucket=512)") ==
        "algorithm.compressor = dither(linf, levels=127, bucket=512)" + sentence);
  CHECK(refusal("moniqua", "topk(10%)") == "algorithm.compressor = topk(10%)" + sentence);
  CHECK(refusal("moniqua", "mod(k=16, step=1)") == "");
  CHECK(refusal("moniqua", "mod(k=2, step=1, nearest)") == "");
  CHECK(refusal("moniqua", "grid(0.02)") == "");
  CHECK(contains(refusal("ecd-psgd", "mod(k=2, step=1, nearest)"), "ecd-psgd needs an unbiased compressor"));
  CHECK(prepared("moniqua", "topk(10%)", {}, true).warnings.size() == 1);
}

TEST_CASE("soundness: moniqua and power-gossip refuse a consensus step with which gossip leaves the circle") {
  const auto refused = [](const std::string& method, const std::string& compressor, double step) {
    return misuse_text([&] {
      auto settings = settings_of(method, {"ring", 8},
                                  {.compressor = compressor, .options = {{option::consensus_step, step}}});
      settings.algorithm.allow_unsound = false;
      prepare<double>(settings, quadratic_problem<double>(500, first_peers(8), Shared::nothing));
    });
  };
  // On a ring of 8, 1 - lambda_n = 4/3.
  const std::string sentence =
      " is predicted to diverge from 1.5 on, on this topology; expected less, such as 0.75 "
      "(algorithm.allow_unsound = true tries it all the same)";
  CHECK(refused("power-gossip", "none", 1.6) == "algorithm.consensus_step = 1.6: power-gossip" + sentence);
  CHECK(refused("moniqua", "grid(0.02)", 1.6) ==
        "algorithm.consensus_step = 1.6: moniqua with grid(step=0.02)" + sentence);
  CHECK(refused("moniqua", "grid(0.02)", 1.5).find("algorithm.consensus_step = 1.5") == 0);
  CHECK(refused("moniqua", "grid(0.02)", 0.75) == "");
  CHECK(refused("power-gossip", "none", 1.4) == "");
}

TEST_CASE("soundness: what top-k leaves out for ever is found by a trial of gossip alone, and warned of") {
  const auto warned = [](const std::string& method, double step) {
    const auto found = warnings(method, "topk(10%)", {{option::consensus_step, step}});
    return std::ranges::any_of(found, [&](const std::string& warning) {
      const std::string less = method == "beer" ? "less than 0.2" : "less, such as 0.2";
      return contains(warning, "in a trial of gossip alone the peers drew apart; expected " + less);
    });
  };
  // Errors that forget the past would permit 0.81.
  for (const std::string method : {"choco-gossip", "choco-sgd", "beer"}) {
    CAPTURE(method);
    CHECK_FALSE(warned(method, 0.3));
    CHECK(warned(method, 0.5));
    CHECK(warned(method, 0.8));
  }
}

TEST_CASE("soundness: the consensus step that a refusal or a warning names draws neither") {
  for (const double step : {0.5, 0.95, 1.5}) {
    CAPTURE(step);
    const std::string refused = refusal("choco-gossip", "topk(10%)", {{option::consensus_step, step}});
    const std::string sentence =
        refused.empty() ? warnings("choco-gossip", "topk(10%)", {{option::consensus_step, step}}).at(0)
                        : refused;
    const std::string before = "expected less, such as ";
    REQUIRE(sentence.find(before) != std::string::npos);
    const double named = std::stod(sentence.substr(sentence.find(before) + before.size()));
    CAPTURE(named);
    CHECK(warnings("choco-gossip", "topk(10%)", {{option::consensus_step, named}}).empty());
  }
}

TEST_CASE(
    "soundness: a default consensus step that does not hold becomes one that does, and a set one stays") {
  const auto prepared_with = [](const MethodOptions& options) {
    return prepared("choco-sgd", "topk(1%)", options, true);
  };
  const auto chosen = prepared_with({});
  const double step = chosen.settings.algorithm.options[option::consensus_step];
  CHECK(step < 0.06);
  CHECK(step > 0.01);
  REQUIRE(chosen.warnings.size() == 1);
  CHECK(
      chosen.warnings[0].find("is taken: at the default of 0.2 gossip alone does not settle with topk(1%)") !=
      std::string::npos);
  CHECK(prepared_with({{option::consensus_step, step}}).warnings.empty());
  CHECK(prepared_with({{option::consensus_step, 0.2}})
            .settings.algorithm.options.find(option::consensus_step) == 0.2);
}

TEST_CASE("soundness: cedas with a biased compressor that promises no contraction draws a warning") {
  const auto found =
      warnings("cedas", "adacomp(bin=50)", {{option::consensus_step, 0.001}, {option::damping, 1.0}});
  REQUIRE(found.size() == 1);
  CAPTURE(found[0]);
  CHECK(found[0].find("how far it contracts depends on the data (by 0.") != std::string::npos);
  CHECK(found[0].find("nothing is promised of cedas with it") != std::string::npos);
  CHECK(warnings("cedas", "dither(linf, bits=8, bucket=512)").empty());
}

TEST_CASE("soundness: SAGA's table of gradients draws a warning where it takes more than a billion bytes") {
  const auto with = [](Index samples) {
    Problem<float> problem;
    for (int peer = 0; peer < 4; ++peer) problem.objectives.push_back(std::make_unique<ManySamples>(samples));
    problem.initial = Vector<float>::Zero(1000);
    return prepare<float>(settings_of("dpsvrg", {"ring", 4}, {.options = {{option::estimator, "saga"}}}),
                          std::move(problem))
        .warnings;
  };
  CHECK(with(62'500).empty());
  const auto found = with(64'000);
  REQUIRE(found.size() == 1);
  CHECK(found[0] ==
        "algorithm.estimator = saga: a gradient of every sample is kept, 1024 MB at all peers together; "
        "loopless-svrg keeps none");
}

}  // namespace hearsay::test::soundness_test
