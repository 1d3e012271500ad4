#include "runtime/experiment/experiment.hpp"

#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/advice.hpp"
#include "algorithms/stability/dcd_limit.hpp"
#include "runtime/experiment/view_of.hpp"
#include "runtime/network/link.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::experiment_test {

using namespace std::chrono_literals;

/// Returns settings that are made by hand, as a user of the library may make them.
RunSettings quadratic_run(PeerId peers) {
  RunSettings settings;
  settings.model.kind = "quadratic(4)";
  settings.topology.peers = peers;
  settings.algorithm.kind = "d-psgd";
  return settings;
}

std::string refusal(const RunSettings& settings) {
  return misuse_text([&] { prepare<double>(settings); });
}

/// An objective of any dimension that takes no memory.
class Huge final : public Objective<double> {
 public:
  explicit Huge(Index dimension) : dimension_(dimension) {}
  Index dimension() const override { return dimension_; }
  Index sample_count() const override { return 1; }
  double loss(const Vector<double>&) const override { return 0.0; }
  void gradient(const Vector<double>&, std::span<const Index>, Vector<double>&) const override {}

 private:
  Index dimension_;
};

std::string refusal(const RunSettings& settings, Index dimension) {
  Problem<double> problem;
  problem.objectives.push_back(std::make_unique<Huge>(dimension));
  return misuse_text([&] { prepare<double>(settings, std::move(problem)); });
}

TEST_CASE("experiment: a step size that reaches 0 is refused where something divides by it") {
  const auto with = [](const std::string& algorithm) {
    return "data.source = \"synthetic(samples=96, features=12, classes=3)\"\nrun.iterations = 40\n"
           "topology.peers = 4\nalgorithm = { step_schedule = \"cosine(30)\", " +
           algorithm + " }\n";
  };
  for (const std::string kind :
       {"decentlam", "k-gt", "powersgd", "qg-momentum", "slowmo", "qsgd-allreduce\", feedback = \"ef"}) {
    CAPTURE(kind);
    const std::string words = misuse_text([&] { experiment_from<float>(with("kind = \"" + kind + "\"")); });
    CHECK(contains(words, "algorithm.step_schedule = cosine(30): "));
    CHECK(contains(words, "divides by the step size, which is 0 from iteration 31 on"));
  }
  for (const std::string kind : {"d-psgd", "qsgd-allreduce\", feedback = \"none", "gen-qsgd", "scaffold"})
    CHECK(experiment_from<float>(with("kind = \"" + kind + "\"")).iterations == 40);
}

TEST_CASE("experiment: a topology file's link networks hold, also where the settings were made by hand") {
  const TemporaryFolder folder("hearsay_experiment");
  RunSettings settings = quadratic_run(1);
  settings.network.latency = 1ms;
  settings.topology.file = folder.write("three.toml",
                                        "peers = 3\nlink = [{from = 0, to = 1, latency = \"7 ms\"}, "
                                        "{from = 1, to = 2, latency = \"9 ms\"}]\n");
  settings.link_overrides = {{2, 1, {}, Bandwidth{1e6}}, {1, 0, 3ms, {}}};
  const RunSettings resolved = prepare<float>(settings).settings;
  CHECK(resolved.topology.peers == 3);
  CHECK(link_settings(resolved, 0, 1) == LinkSettings{.latency = 7ms});
  CHECK(link_settings(resolved, 1, 2) == LinkSettings{.latency = 9ms});
  // The settings override the topology file, key by key.
  CHECK(link_settings(resolved, 1, 0) == LinkSettings{.latency = 3ms});
  CHECK(link_settings(resolved, 2, 1) == LinkSettings{.latency = 9ms, .bandwidth = Bandwidth{1e6}});
  // Resolving again changes nothing.
  CHECK(prepare<float>(resolved).settings == resolved);
}

TEST_CASE("experiment: link networks may be given in any order") {
  RunSettings settings = quadratic_run(8);
  for (PeerId from = 8; from-- > 0;)
    settings.link_overrides.push_back({from, (from + 1) % 8, Duration(from), {}});
  const RunSettings resolved = prepare<float>(settings).settings;
  for (PeerId from = 0; from < 8; ++from)
    CHECK(link_settings(resolved, from, (from + 1) % 8).latency == Duration(from));
}

TEST_CASE(
    "experiment: a method whose links cannot change refuses peers that sit out, by the key that is at "
    "fault") {
  RunSettings settings = quadratic_run(6);
  settings.topology.participation = 0.5;
  CHECK(!prepare<double>(settings).schedule->period());
  settings.algorithm.kind = "cedas";
  CHECK(refusal(settings).starts_with(
      "topology.participation = 0.5: cedas needs the same mixing in every round; "
      "expected 1, or one of d-psgd, naive, dcd-psgd, "));
  settings.topology.schedule = "random-matchings";
  CHECK(refusal(settings).starts_with("topology.schedule = random-matchings: cedas needs the same mixing"));
  settings.algorithm.kind = "allreduce-sgd";
  CHECK(refusal(settings) ==
        "topology.participation = 0.5: allreduce-sgd needs every peer in every iteration; use 1, or d-psgd");
}

TEST_CASE(
    "experiment: an asynchronous method refuses what it cannot work with, by the key that is at fault") {
  RunSettings settings = quadratic_run(6);
  settings.algorithm.kind = "ad-psgd";
  CHECK(refusal(settings) == "");
  settings.algorithm.compressor = "dither(linf, bits=8)";
  CHECK(refusal(settings).find("ad-psgd sends full precision; use none, or another method") !=
        std::string::npos);
  settings.algorithm.compressor = "";
  settings.topology.participation = 0.5;
  CHECK(refusal(settings).starts_with("topology.participation = 0.5: ad-psgd needs the same mixing"));
  settings.topology.participation = 1.0;
  settings.topology.schedule = "random-matchings";
  CHECK(refusal(settings).starts_with("topology.schedule = random-matchings: ad-psgd needs the same mixing"));
  settings.topology.schedule = "static";
  const TemporaryFolder folder("hearsay_one_way");
  settings.topology.file = folder.write("ring.toml",
                                        "peers = 3\nlink = [{from = 0, to = 1, one_way = true}, "
                                        "{from = 1, to = 2, one_way = true}, "
                                        "{from = 2, to = 0, one_way = true}]\n");
  CHECK(refusal(settings) ==
        "algorithm.kind = ad-psgd: of some links one end only hears the other, and its answers have no way "
        "back; "
        "expected links both ways");
}

TEST_CASE(
    "experiment: in an asynchronous method one end of every link is patient, and in a bipartite graph one "
    "side") {
  RunSettings settings = quadratic_run(8);
  settings.algorithm.kind = "ad-psgd";
  CHECK(prepare<double>(settings).colors == std::vector<std::uint32_t>{0, 1, 0, 1, 0, 1, 0, 1});
  settings.algorithm.kind = "d-psgd";
  CHECK(prepare<double>(settings).colors.empty());
}

TEST_CASE(
    "experiment: fastest weights that are negative are refused where averages are needed, with the remedy") {
  RunSettings settings = quadratic_run(6);
  settings.topology.kind = "star";
  settings.topology.weights = "fastest";
  CHECK(prepare<double>(settings).warnings.empty());
  settings.algorithm.kind = "dcd-psgd";
  settings.algorithm.compressor = "dither(linf, bits=8)";
  CHECK(refusal(settings).find("fastest-chain and metropolis have none") != std::string::npos);
  settings.topology.weights = "fastest-chain";
  CHECK(refusal(settings).find("negative") == std::string::npos);
}

TEST_CASE(
    "experiment: a peer's partners are all whom it ever hears or is heard by, in a ring method, its two "
    "sides") {
  RunSettings settings = quadratic_run(16);
  settings.topology.kind = "exponential";
  settings.topology.schedule = "one-peer-exponential";
  const auto rounds = prepare<double>(settings);
  CHECK(partners_of(rounds, 0).sources == std::vector<PeerId>{8, 12, 14, 15});
  CHECK(partners_of(rounds, 0).destinations == std::vector<PeerId>{1, 2, 4, 8});
  settings.topology.kind = "star";
  settings.topology.schedule = "static";
  const auto star = prepare<double>(settings);
  CHECK(partners_of(star, 3).sources == std::vector<PeerId>{0});
  CHECK(partners_of(star, 0).destinations.size() == 15);
  settings.algorithm.kind = "allreduce-sgd";
  const auto ring = prepare<double>(settings);
  CHECK(partners_of(ring, 3).sources == std::vector<PeerId>{2});
  CHECK(partners_of(ring, 3).destinations == std::vector<PeerId>{4});
}

TEST_CASE("experiment: a link of its own between peers that never talk is refused") {
  RunSettings settings = quadratic_run(8);
  settings.topology.kind = "path";
  settings.link_overrides = {{0, 1, 1ms, {}}, {0, 7, 2ms, {}}};
  CHECK(refusal(settings) == "network.link = from 0 to 7: expected two neighbors of the topology");
  settings.algorithm.kind = "allreduce-sgd";  // sends along a ring of all peers, 7 to 0 but not 0 to 7
  CHECK(refusal(settings) == "network.link = from 0 to 7: expected two neighbors of the topology");
  settings.link_overrides[1] = {7, 0, 2ms, {}};
  CHECK(refusal(settings) == "");
  settings.link_overrides[1] = {0, 4, 2ms, {}};  // by doubling
  CHECK(refusal(settings) == "");
}

TEST_CASE("experiment: a batch beyond 4,096 and every shard is refused, one up to either is not") {
  RunSettings settings = quadratic_run(2);
  settings.model.kind = "softmax";
  settings.data.source = "synthetic(samples=10000, features=2, classes=2)";
  settings.algorithm.batch = 5000;
  CHECK(refusal(settings) == "");
  settings.algorithm.batch = 5001;
  CHECK(refusal(settings) ==
        "algorithm.batch = 5001: a batch is drawn with replacement, and no peer has more than 5000 samples; "
        "expected at most 5000, or \"full\" for each sample once");
  settings.data.source = "synthetic(samples=10, features=2, classes=2)";
  settings.algorithm.batch = 4096;
  CHECK(refusal(settings) == "");
  settings.algorithm.batch = 4097;
  CHECK(refusal(settings) ==
        "algorithm.batch = 4097: a batch is drawn with replacement, and no peer has more than 5 samples; "
        "expected at most 4096, or \"full\" for each sample once");
}

TEST_CASE("experiment: a least improvement without the patience that reads it is refused") {
  RunSettings settings = quadratic_run(2);
  settings.run.min_improvement = 0.1;
  CHECK(
      refusal(settings) ==
      "run.min_improvement = 0.1: only run.patience reads it, which is unset; expected both keys or neither");
  settings.run.patience = 3;
  CHECK(refusal(settings) == "");
}

TEST_CASE("experiment: more local steps than 10,000 and than any peer has samples are refused") {
  RunSettings settings = quadratic_run(2);
  settings.algorithm.options.set(option::local_steps, 10'000);
  CHECK(refusal(settings) == "");
  settings.algorithm.options.set(option::local_steps, 10'001);
  CHECK(refusal(settings) ==
        "algorithm.local_steps = 10001: that many steps go by without a word to the neighbors; expected at "
        "most "
        "10000");
  settings.model.kind = "softmax";
  settings.data.source = "synthetic(samples=20002, features=2, classes=2)";
  CHECK(refusal(settings) == "");
}

TEST_CASE("experiment: a problem with too many parameters is refused") {
  CHECK(refusal(quadratic_run(1), 2'000'000'001) ==
        "the problem has 2000000001 parameters; at most 2000000000 are possible");
}

TEST_CASE("experiment: rounds and layers longer than 32 bits can say are refused before a method is made") {
  for (const std::string method : {"neolithic", "predictive-coding"}) {
    CAPTURE(method);
    auto experiment = quadratic_experiment<double>(method, "star", 3, 50);
    experiment.settings.algorithm.compressor = method == "neolithic" ? "topk(50%)" : "none";
    RunView view = view_of(experiment);
    std::vector<std::string> warnings;
    Advice advice(false, warnings);
    const auto refused = [&] { return misuse_text([&] { view.method.check(view, advice); }); };
    CHECK(refused() == "");
    view.segments = {{"parameters", 0, 1'900'000'000}};
    CHECK(refused().find("32 bits") != std::string::npos);
  }
}

TEST_CASE("experiment: it carries the variance limit of its topology and the warnings, found once") {
  const auto experiment = quadratic_experiment<float>("dcd-psgd", "path", 5, 50);
  REQUIRE(experiment.omega_limit.has_value());
  CHECK(*experiment.omega_limit == DcdLimit::of(experiment.topology.mixing)->omega());
  CHECK(experiment.warnings.empty());
  CHECK_FALSE(quadratic_experiment<float>("d-psgd", "path", 5, 50).omega_limit.has_value());
  CHECK_FALSE(quadratic_experiment<float>("dcd-psgd", "path", 1, 50).omega_limit.has_value());
  RunSettings settings = quadratic_run(5);
  settings.algorithm.kind = "dcd-psgd";
  settings.algorithm.compressor = "topk(10%)";
  settings.algorithm.allow_unsound = true;
  CHECK(prepare<float>(settings).warnings.size() == 1);
}

TEST_CASE("experiment: a wrapper is judged by what it loses of Gaussian data, not by its parts") {
  RunSettings settings = quadratic_run(8);
  settings.model.kind = "quadratic(123)";
  settings.algorithm.kind = "dcd-psgd";
  // A ring of 8 tolerates 1.37. If the second round had Gaussian data, omega would be 1.56; it is 1.07.
  settings.algorithm.compressor = "repeat(2){qsgdinf(2)}";
  const auto experiment = prepare<double>(settings);
  CHECK(*experiment.omega_limit == doctest::Approx(1.37).epsilon(0.01));
  REQUIRE(experiment.warnings.size() == 1);
  CHECK(experiment.warnings[0].find(": relative variance 1.0") != std::string::npos);
  // On Gaussian coefficients omega would be 1.43, but the embedding makes the coefficients equal.
  settings.algorithm.compressor = "kashin | dither(linf, levels=1, bucket=whole)";
  CHECK(prepare<float>(settings).warnings.size() == 1);
  settings.algorithm.compressor = "repeat(2){qsgd(2)}";
  CHECK(refusal(settings).find("and dcd-psgd tolerates less than 1.37") != std::string::npos);
}

TEST_CASE(
    "experiment: an error that does not shrink with the differences has ecd-psgd for a remedy, not bits") {
  RunSettings settings = quadratic_run(5);
  settings.algorithm.kind = "dcd-psgd";
  settings.algorithm.compressor = "grid(0.02)";
  const auto remedied = [](const std::string& text) {
    return text.find("does not shrink with the differences") != std::string::npos &&
           text.find("\"ecd-psgd\"") != std::string::npos && text.find("dither(") != std::string::npos &&
           text.find("more bits") == std::string::npos && text.find("inf ") == std::string::npos;
  };
  CHECK(remedied(refusal(settings)));
  // The remedy is the same if the limit is not known.
  settings.topology.peers = 300;
  settings.topology.kind = "path";
  CHECK(remedied(refusal(settings)));
  settings.topology.peers = 5;
  settings.algorithm.allow_unsound = true;
  const auto experiment = prepare<float>(settings);
  CHECK(experiment.omega_limit.has_value());
  REQUIRE(experiment.warnings.size() == 1);
  CHECK(remedied(experiment.warnings[0]));
  // The remedies are accepted.
  settings.algorithm.allow_unsound = false;
  settings.algorithm.compressor = "dither(linf, bits=8, bucket=512)";
  CHECK(refusal(settings) == "");
  settings.algorithm.kind = "ecd-psgd";
  settings.algorithm.compressor = "grid(0.02)";
  CHECK(refusal(settings) == "");
}

TEST_CASE("experiment: a compressor that takes as much as none draws a warning, on every method") {
  RunSettings settings = quadratic_run(5);
  settings.model.kind = "quadratic(500)";
  const auto warnings = [&](const char* kind, const char* compressor) {
    settings.algorithm.kind = kind;
    settings.algorithm.compressor = compressor;
    return prepare<float>(settings).warnings;
  };
  const auto costly = warnings("dcd-psgd", "repeat(64){natural}");
  REQUIRE(costly.size() == 1);
  CHECK(costly[0] ==
        "repeat(rounds=64){natural} takes 581 bits per coordinate, and none takes 32 and loses nothing");
  CHECK(warnings("qsgd-allreduce", "topk(100%)").size() == 1);
  CHECK(warnings("qsgd-allreduce", "topk(50%)").size() == 1);  // 16 bits of value, 16 of index
  CHECK(warnings("qsgd-allreduce", "topk(49%)").empty());
  CHECK(warnings("naive", "topk(100%)").size() == 2);
  for (const char* kind : {"dcd-psgd", "ecd-psgd", "qsgd-allreduce", "allreduce-sgd"})
    CHECK(warnings(kind, "none").empty());
  CHECK(warnings("ecd-psgd", "grid(0.02)").empty());  // at most 40 bits, usually far fewer
}

TEST_CASE("experiment: error feedback wants a contraction, and no feedback an unbiased compressor") {
  RunSettings settings = quadratic_run(5);
  settings.model.kind = "quadratic(500)";
  settings.algorithm.kind = "qsgd-allreduce";
  const auto with = [&](const std::string& compressor, const std::string& feedback) {
    settings.algorithm.compressor = compressor;
    settings.algorithm.options.set(option::feedback, feedback);
  };
  const std::string all_the_same = " (algorithm.allow_unsound = true tries it all the same)";

  // A biased compressor without feedback.
  with("topk(10%)", "none");
  CHECK(
      refusal(settings) ==
      "algorithm.feedback = none: topk(10%) is biased, and without feedback its error is never made up for; "
      "expected \"ef\"" +
          all_the_same);
  // An unbiased compressor with omega = 9: the error memory would grow.
  with("randk(10%, scaled)", "ef");
  CHECK(refusal(settings) ==
        "algorithm.compressor = randk(10%, scaled): its relative variance is 9 on Gaussian data, and with "
        "feedback ef an "
        "error of 1 or more piles up; expected scale{randk(10%, scaled)}, or feedback = \"none\"" +
            all_the_same);
  for (const char* feedback : {"low-pass(0.1)", "dgd-def"}) {
    settings.algorithm.options.set(option::feedback, feedback);
    CHECK(refusal(settings).starts_with("algorithm.compressor = randk(10%, scaled): "));
  }
  settings.algorithm.allow_unsound = true;
  CHECK(prepare<double>(settings).warnings.size() == 1);
  settings.algorithm.allow_unsound = false;

  // The remedies, and pairs that are sound anyway, are accepted.
  for (const auto& sound :
       std::vector<std::pair<const char*, const char*>>{{"scale{randk(10%, scaled)}", "ef"},
                                                        {"randk(10%, scaled)", "none"},
                                                        {"randk(10%, scaled)", "auto"},
                                                        {"topk(10%)", "auto"},
                                                        {"topk(10%)", "low-pass(0.1)"},
                                                        {"leader_topk(10%)", "dgd-def"},
                                                        {"dither(linf, bits=8, bucket=512)", "ef"},
                                                        {"grid(0.1)", "ef"},
                                                        {"none", "ef"}}) {
    CAPTURE(sound.first);
    with(sound.first, sound.second);
    CHECK(prepare<double>(settings).warnings.empty());
  }
  // omega is below 1 on Gaussian data, and above 1 in the worst case.
  with("dither(linf, bits=4, bucket=512)", "ef");
  CHECK(prepare<double>(settings).warnings.size() == 1);
  // Neither unbiased nor contractive.
  with("randk(80%, scaled) | sign", "auto");
  const auto unknown = prepare<double>(settings);
  CHECK(unknown.settings.algorithm.options.find(option::feedback) == "ef");
  REQUIRE(unknown.warnings.size() == 1);
  CAPTURE(unknown.warnings.front());
  CHECK(unknown.warnings.front().find("contracts depends on the data (by 0.") != std::string::npos);
}

TEST_CASE("experiment: leader_topk needs a common leader, which gossip has not, whatever is allowed") {
  RunSettings settings = quadratic_run(3);
  settings.algorithm.compressor = "leader_topk(10%)";
  settings.algorithm.allow_unsound = true;
  for (const char* method : {"naive", "dcd-psgd", "ecd-psgd"}) {
    settings.algorithm.kind = method;
    CHECK(refusal(settings) == "algorithm.compressor = leader_topk(10%): it needs a common leader, which " +
                                   std::string(method) +
                                   " has not; expected topk, or algorithm.kind = \"qsgd-allreduce\"");
  }
  settings.algorithm.kind = "qsgd-allreduce";
  CHECK(refusal(settings) == "");
}

}  // namespace hearsay::experiment_test
