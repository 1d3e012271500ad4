#include <doctest/doctest.h>

#include <atomic>
#include <cmath>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/experiment/traffic_forecast.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tools/advise/advice.hpp"
#include "tools/advise/advice_text.hpp"
#include "tools/advise/candidates.hpp"
#include "tools/advise/loss_tail.hpp"
#include "tools/advise/probe.hpp"
#include "tools/advise/probe_problem.hpp"

namespace hearsay::advise_test {

namespace {

const std::string four_peers =
    "run = { iterations = 60, evaluate_every = 2, target_loss = 1500 }\n"
    "model.kind = \"quadratic(4000)\"\ntopology.peers = 4\n"
    "algorithm = { kind = \"allreduce-sgd\", step_size = 0.1, batch = \"full\" }\n";

RunSettings run_of(const std::string& text) { return parse_run(text, ".", {}, "test.toml"); }

/// Returns a loss of floor + height * ratio^(iteration / 10), evaluated every ten iterations.
std::vector<Evaluation> geometric(double floor, double height, double ratio, int count) {
  std::vector<Evaluation> evaluations(static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    evaluations[static_cast<std::size_t>(k)].iteration = static_cast<std::uint64_t>(10 * k);
    evaluations[static_cast<std::size_t>(k)].loss = floor + height * std::pow(ratio, k);
  }
  return evaluations;
}

/// Returns a control whose patience lasts on any machine.
AdviceControl unhurried() {
  AdviceControl control;
  control.patience = std::chrono::hours(10);
  return control;
}

const Prospect* found(const std::vector<Prospect>& among, const std::string& method) {
  for (const Prospect& prospect : among)
    if (prospect.settings.algorithm.kind == method) return &prospect;
  return nullptr;
}

}  // namespace

TEST_CASE("advise: every method of the registry is a candidate, or there is a reason why it is none") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    CHECK(method.trials.with.empty() != method.trials.none_because.empty());
    for (const MethodTrial& trial : method.trials.with) CHECK_FALSE(trial.because.empty());
  }
}

TEST_CASE(
    "advise: candidates differ in method, compressor and topology, are synchronous, and never unsound") {
  RunSettings yours = run_of(four_peers + "network = { bandwidth = \"1 Mbit/s\", latency = \"7 ms\" }\n");
  yours.algorithm.allow_unsound = true;
  for (const Candidate& candidate : candidates_beside(yours)) {
    RunSettings settings = candidate.settings;
    CHECK_FALSE(settings.algorithm.allow_unsound);
    CHECK_FALSE(find_method(settings.algorithm.kind).asynchronous);
    settings.algorithm = yours.algorithm;
    settings.topology = yours.topology;
    CHECK(settings == yours);
  }
}

TEST_CASE("advise: where the topology is a file, or links have a network of their own, it stays") {
  const RunSettings linked =
      run_of(four_peers + "network.link = [{ from = 0, to = 1, latency = \"9 ms\" }]\n");
  for (const Candidate& candidate : candidates_beside(linked))
    CHECK(candidate.settings.topology.kind == linked.topology.kind);
}

TEST_CASE("advise: d-psgd with one neighbor a round is a candidate, once, from three peers on") {
  const auto count = [](RunSettings yours) {
    int found = 0;
    for (const Candidate& candidate : candidates_beside(yours))
      if (candidate.settings.algorithm.kind == "d-psgd" &&
          candidate.settings.topology.schedule == "one-peer-exponential") {
        ++found;
        CHECK_NOTHROW(prepare<float>(candidate.settings));
      }
    return found;
  };
  RunSettings yours = run_of(four_peers);
  for (const PeerId peers : {2u, 3u, 4u, 6u, 8u}) {
    yours.topology.peers = peers;
    CHECK(count(yours) == (peers > 2 ? 1 : 0));
  }
  yours.topology.kind = "exponential";
  yours.topology.schedule = "one-peer-exponential";
  CHECK(count(yours) == 2);  // yours, also with four local steps
}

TEST_CASE("advise: on a slow network d-psgd is soonest with one neighbor a round") {
  RunSettings yours = run_of(four_peers + "network = { bandwidth = \"1 Mbit/s\", compute = \"4 ms\" }\n");
  yours.algorithm.kind = "d-psgd";
  const auto seconds_of_round = [](const RunSettings& settings) {
    return simulate(prepare<float>(settings), Duration{0}).seconds /
           static_cast<double>(settings.run.iterations);
  };
  yours.run.target_loss = std::nullopt;
  const double with_all = seconds_of_round(yours);
  yours.topology.kind = "exponential";
  yours.topology.schedule = "one-peer-exponential";
  CHECK(seconds_of_round(yours) < 0.51 * with_all);
}

TEST_CASE("advise: every family that fits so many peers is a graph with its schedule") {
  for (const PeerId peers : {2u, 3u, 4u, 5u, 7u, 8u, 12u, 16u, 31u, 64u})
    for (const TopologyChoice& choice : topology_choices(peers)) {
      CAPTURE(choice.kind);
      CHECK_NOTHROW(prepare<float>(run_of(
          "model.kind = \"quadratic(10)\"\ntopology = { peers = " + std::to_string(peers) + ", kind = \"" +
          choice.kind + "\", schedule = \"" + choice.schedule + "\" }\nalgorithm.kind = \"d-psgd\"\n")));
    }
}

TEST_CASE("outlook: a loss that falls geometrically is met where it gets to the target") {
  // 0.5 + 4 * 0.9^k = 0.51 where k = log(0.0025) / log(0.9) = 56.87
  const LossOutlook ahead = outlook(geometric(0.5, 4.0, 0.9, 31), 0.51);
  REQUIRE(ahead.trend == LossOutlook::Trend::falling);
  // The mean loss of a part is the loss a little before its middle, by the same distance in all parts.
  CHECK(ahead.expected == doctest::Approx(568.7).epsilon(0.01));
  CHECK(ahead.soonest < ahead.expected);
  CHECK(ahead.latest >= ahead.expected);
}

TEST_CASE("outlook: a loss that falls straight gets to the target, one that rises or stays does not") {
  std::vector<Evaluation> straight = geometric(0.0, 1.0, 1.0, 25);
  for (Evaluation& evaluation : straight)
    evaluation.loss = 10.0 - 0.01 * static_cast<double>(evaluation.iteration);
  CHECK(outlook(straight, 4.0).expected == doctest::Approx(600.0));
  CHECK(outlook(straight, 4.0).soonest == doctest::Approx(600.0));
  CHECK(outlook(geometric(0.0, 1.0, 1.1, 25), 0.5).trend == LossOutlook::Trend::level);
  const LossOutlook flat = outlook(geometric(0.7, 0.0, 1.0, 25), 0.5);
  CHECK(flat.trend == LossOutlook::Trend::level);
  CHECK(flat.level == doctest::Approx(0.7));
}

TEST_CASE("outlook: a slow tail is no plateau") {
  // Minus a logarithm: after every part it has fallen by less, so that a geometric limit seems to be near.
  std::vector<Evaluation> slow = geometric(0.0, 1.0, 1.0, 21);
  for (std::size_t k = 1; k < slow.size(); ++k)
    slow[k].loss = 5.0 - std::log(static_cast<double>(slow[k].iteration));
  const double at_1000 = 5.0 - std::log(1000.0);
  const LossOutlook ahead = outlook(slow, at_1000);
  REQUIRE(ahead.trend == LossOutlook::Trend::falling);
  CHECK(ahead.expected == doctest::Approx(1000.0).epsilon(0.05));
  CHECK(ahead.soonest < 1000.0);
  CHECK(ahead.latest == ahead.expected);
}

TEST_CASE("outlook: few evaluations say when the target comes, not that it never does, fewer say nothing") {
  CHECK(outlook(geometric(0.5, 4.0, 0.9, 6), 0.51).trend == LossOutlook::Trend::falling);
  CHECK(outlook(geometric(0.0, 1.0, 1.1, 6), 0.5).trend == LossOutlook::Trend::untold);
  CHECK(outlook(geometric(0.5, 4.0, 0.9, 4), 0.51).trend == LossOutlook::Trend::untold);
}

TEST_CASE("probe: its evaluations are those of the simulator, and it ends at the target") {
  const auto experiment = experiment_from<double>(four_peers + "network.latency = \"3 ms\"\n");
  const RunOutcome<double> run = simulate(experiment, Duration{0});
  REQUIRE(run.target.has_value());
  const auto borrowing = prepare<double>(experiment.settings, borrowed<double>(experiment.problem));
  const Probe seen = probe(borrowing, {.target_loss = 1500.0,
                                       .virtual_seconds = 1e9,
                                       .out_of_time = [] { return false; },
                                       .interrupted = [] { return false; },
                                       .progress = [](const Evaluation&) {}});
  CHECK(seen.end == Probe::End::reached);
  REQUIRE(seen.evaluations.back().iteration == run.target->iteration);
  for (std::size_t k = 0; k < seen.evaluations.size(); ++k) {
    CHECK(seen.evaluations[k].loss == run.evaluations[k].loss);
    CHECK(seen.evaluations[k].seconds == run.evaluations[k].seconds);
    CHECK(seen.evaluations[k].bytes_sent == run.evaluations[k].bytes_sent);
  }
}

TEST_CASE("stand-in: iterations take as long, and say as much, as those of the problem it stands for") {
  const std::string slow = "network = { bandwidth = \"5 Mbit/s\", latency = \"3 ms\", compute = \"2 ms\" }\n";
  for (const std::string method : {"allreduce-sgd", "d-psgd", "dcd-psgd", "moniqua", "gradient-tracking"}) {
    CAPTURE(method);
    RunSettings settings = run_of(four_peers + slow);
    settings.algorithm.kind = method;
    settings.run.target_loss = std::nullopt;
    const auto experiment = prepare<float>(settings);
    const RunOutcome<float> run = simulate(experiment, Duration{0});
    const auto imitated = prepare<float>(settings, stand_in(experiment.problem, 1));
    const RunOutcome<float> imitation = simulate(imitated, Duration{0});
    CHECK(imitation.seconds == run.seconds);
    CHECK(imitation.evaluations.back().bytes_sent == run.evaluations.back().bytes_sent);
  }
}

TEST_CASE("advise: what a probe does not reach is extrapolated, near to where a longer run gets there") {
  // A small step: the target is far beyond 60 iterations.
  RunSettings yours = run_of(four_peers + "network.compute = \"1 ms\"\n");
  yours.algorithm.step_size = 0.02;
  yours.run.target_loss = std::nullopt;
  const auto experiment = prepare<double>(yours);
  Prospect prospect{.settings = experiment.settings};
  judge(prospect,
        probe(experiment, {.target_loss = 1500.0,
                           .virtual_seconds = 1e9,
                           .out_of_time = [] { return false; },
                           .interrupted = [] { return false; },
                           .progress = [](const Evaluation&) {}}),
        1500.0);
  REQUIRE(prospect.fate == Fate::in_sight);
  CHECK(prospect.tried == 60);
  yours.run.iterations = 1000;
  yours.run.target_loss = 1500.0;
  const RunOutcome<double> whole = simulate(prepare<double>(yours), Duration{0});
  REQUIRE(whole.target.has_value());
  CHECK(static_cast<double>(prospect.iterations) ==
        doctest::Approx(static_cast<double>(whole.target->iteration)).epsilon(0.15));
  CHECK(prospect.soonest <= whole.target->iteration);
  CHECK(prospect.latest >= whole.target->iteration);
  CHECK(prospect.seconds == doctest::Approx(1e-3 * static_cast<double>(prospect.iterations)));
}

TEST_CASE("advise: a winner beyond ten times the run is trained to the target before it wins") {
  RunSettings yours = run_of(four_peers + "network.compute = \"1 ms\"\n");
  yours.algorithm.step_size = 0.02;
  yours.run.iterations = 1;
  const RankedAdvice advice = advise<double>(yours, unhurried());
  REQUIRE_FALSE(advice.ranked.empty());
  CHECK(advice.ranked.front().fate == Fate::reached);
  CHECK(advice.ranked.front().iterations > 10);
}

TEST_CASE("advise: where messages cost nothing, whoever needs the fewest gradients wins") {
  const RankedAdvice advice = advise<float>(run_of(four_peers + "network.compute = \"4 ms\"\n"), unhurried());
  REQUIRE(advice.ranked.size() >= advised);
  const auto gradients = [](const Prospect& prospect) {
    return prospect.iterations * prospect.settings.algorithm.options.find(option::local_steps).value_or(1);
  };
  for (const Prospect& prospect : advice.ranked) {
    CHECK(gradients(prospect) >= gradients(advice.ranked.front()));
    // Methods that track gradients compute one more at the start.
    const double beside = prospect.seconds / 4e-3 - static_cast<double>(gradients(prospect));
    CHECK((beside == doctest::Approx(0.0) || beside == doctest::Approx(1.0)));
  }
}

TEST_CASE("advise: bytes are what a hand works out") {
  RunSettings yours = run_of(four_peers);
  yours.algorithm.kind = "dcd-psgd";
  yours.algorithm.compressor = "dither(linf, bits=4, bucket=512)";
  const RankedAdvice advice = advise<float>(yours, unhurried());
  REQUIRE(advice.yours.fate == Fate::reached);
  // To each of two neighbors go 64 bytes of header, 4,000 codes of half a byte, and 8 norms of 4 bytes.
  CHECK(advice.yours.bytes_per_peer ==
        static_cast<double>(advice.yours.iterations) * 2 * (64 + 4000 / 2 + 8 * 4));
}

TEST_CASE("advise: with steps that are too long for a method, shorter ones are tried") {
  RunSettings yours = run_of(four_peers + "network.bandwidth = \"1 Mbit/s\"\n");
  yours.algorithm.step_size = 1.9;  // curvatures go to 1.5
  const RankedAdvice advice = advise<float>(yours, unhurried());
  CHECK(advice.yours.fate == Fate::diverges);
  CHECK(advice.yours.settings.algorithm.step_size == 1.9);
  REQUIRE_FALSE(advice.ranked.empty());
  CHECK(advice.ranked.front().settings.algorithm.step_size < 1.9);
}

TEST_CASE("advise: models that hardly agree are no model, however good their mean is") {
  const RankedAdvice advice = advise<float>(
      run_of(four_peers + "network = { bandwidth = \"100 kbit/s\", compute = \"1 ms\" }\n"), unhurried());
  // topk(1%) sends 40 of 4,000 numbers in each of some twenty iterations.
  const Prospect* const sparse = found(advice.left_out, "choco-sgd");
  REQUIRE(sparse != nullptr);
  bool one_is_apart = false;
  for (const Prospect& prospect : advice.left_out) one_is_apart |= prospect.fate == Fate::apart;
  CHECK(one_is_apart);
  for (const Prospect& prospect : advice.ranked) CHECK(prospect.settings.algorithm.compressor != "topk(1%)");
}

TEST_CASE(
    "advise: whose model is at the target is told: the mean of the models, the hub's, or each for its own") {
  const auto said = [](const std::string& yours, const std::vector<std::string>& ranked) {
    const auto prospect = [](const std::string& method) {
      Prospect of{.settings = run_of(four_peers)};
      of.settings.algorithm.kind = method;
      return of;
    };
    RankedAdvice advice;
    advice.yours = prospect(yours);
    for (const std::string& method : ranked) advice.ranked.push_back(prospect(method));
    return text_of(advice);
  };
  CHECK(contains(
      said("d-psgd", {"choco-sgd"}),
      "it is the mean of the models that is at the target; consensus: how far (rms) they are from it"));
  CHECK(contains(
      said("fed-avg", {"artemis"}),
      "it is the hub's model that is at the target; consensus: how far (rms) the models are from it"));
  CHECK(
      contains(said("d-psgd", {"artemis"}),
               "it is the mean of the models, of methods with a hub the hub's model, that is at the target"));
}

TEST_CASE("advise: beside a method with a hub stands how busy the hub's port is") {
  const std::string slow = "network = { bandwidth = \"1 Mbit/s\", compute = \"5 ms\" }\n";
  RunSettings yours = run_of(four_peers + slow);
  yours.algorithm.kind = "fed-avg";
  const RankedAdvice advice = advise<float>(yours, unhurried());
  // When the third message has left the hub's port, the answer to it is still to come, as long as a message.
  REQUIRE(advice.yours.hub_port_share);
  CHECK(*advice.yours.hub_port_share > 0.6);
  CHECK(*advice.yours.hub_port_share < 0.75);
  CHECK(contains(text_of(advice), "hub's port"));
  for (const Prospect& of : advice.ranked)
    CHECK(of.hub_port_share.has_value() == find_method(of.settings.algorithm.kind).pattern.has_hub);

  yours.algorithm.kind = "d-psgd";
  RankedAdvice without;
  without.yours.settings = yours;
  CHECK_FALSE(contains(text_of(without), "hub's port"));
}

TEST_CASE("advise: without a target it is the loss that the user's own run comes to") {
  RunSettings yours = run_of(four_peers);
  yours.run.target_loss = std::nullopt;
  yours.run.iterations = 20;
  const RankedAdvice advice = advise<double>(yours, unhurried());
  CHECK_FALSE(advice.target_is_yours);
  CHECK(advice.target_loss == simulate(prepare<double>(yours), Duration{0}).evaluations.back().loss);
  CHECK(advice.yours.iterations == 20);
}

TEST_CASE("advise: interrupted, it says what it has") {
  std::atomic<int> asked = 0;
  AdviceControl control = unhurried();
  control.progress = [&](const std::string&) { ++asked; };
  control.interrupted = [&] { return asked > 60; };  // the user's own run takes 31 evaluations at most
  const RankedAdvice advice = advise<float>(run_of(four_peers), control);
  CHECK(advice.interrupted);
  CHECK(advice.yours.promises());
  CHECK(advice.ranked.size() >= 1);
}

TEST_CASE("advise: out of time, it says who was not tried") {
  AdviceControl control;
  control.patience = Duration{0};
  RunSettings yours = run_of(four_peers);
  CHECK(misuse_text([&] { advise<float>(yours, control); }).find("run.target_loss") != std::string::npos);
}

TEST_CASE("advise: a target that nobody reaches, and a peer alone, are refused") {
  RunSettings yours = run_of(four_peers);
  yours.run.target_loss = 1000.0;  // the least loss is 1,462
  const std::string beyond = misuse_text([&] { advise<float>(yours, unhurried()); });
  CHECK(beyond.find("run.target_loss = 1000") != std::string::npos);
  CHECK(beyond.find("levels off at about 1462") != std::string::npos);
  yours.topology.peers = 1;
  CHECK(misuse_text([&] { advise<float>(yours, unhurried()); }).find("topology.peers = 1") !=
        std::string::npos);
}

}  // namespace hearsay::advise_test
