// Tools that look at the peers' data, where the hub has none.
#include <doctest/doctest.h>

#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tools/advise/advice.hpp"
#include "tools/advise/advice_text.hpp"
#include "tools/advise/plan_command.hpp"
#include "tools/training/training.hpp"

namespace hearsay::dedicated_hub_test {

namespace {

const std::string dedicated =
    "run = { iterations = 20, evaluate_every = 5, target_loss = 1.0 }\n"
    "data.source = \"synthetic(samples=96, features=12, classes=3)\"\n"
    "topology = { peers = 4, hub = \"dedicated\" }\nalgorithm.kind = \"artemis\"\n";

}  // namespace

TEST_CASE("dedicated hub: a gradient is timed at the peers that have data") {
  CHECK(measured_gradient_of(experiment_from<float>(dedicated)) > Duration{0});
}

TEST_CASE("dedicated hub: advice is to be had, with the hub as it is") {
  const RunSettings yours = parse_run(
      dedicated + "network = { bandwidth = \"10 Mbit/s\", compute = \"1 ms\" }\n", ".", {}, "run.toml");
  AdviceControl control;
  control.interrupted = [] { return false; };
  control.progress = [](const std::string&) {};
  CHECK(misuse_text([&] { CHECK(!advise<float>(yours, control).ranked.empty()); }) == "");
}

TEST_CASE(
    "advise: with few workers a round, methods with a hub are judged by its model, not by who sat out") {
  const RunSettings yours = parse_run(
      "run = { iterations = 100, evaluate_every = 1, target_loss = 0.6 }\n"
      "data.source = \"synthetic(samples=400, features=20, classes=4)\"\n"
      "topology = { peers = 21, hub = \"dedicated\", participation = 0.1 }\n"
      "algorithm = { kind = \"fed-avg\", step_size = 0.1 }\n"
      "network = { bandwidth = \"1 Mbit/s\", latency = \"5 ms\", compute = \"1 ms\" }\n",
      ".", {}, "run.toml");
  AdviceControl control;
  control.patience = std::chrono::hours(10);
  control.interrupted = [] { return false; };
  control.progress = [](const std::string&) {};
  const RankedAdvice advice = advise<float>(yours, control);
  CHECK(advice.ranked.size() > 1);
  for (const Prospect& prospect : advice.left_out) CHECK(prospect.fate != Fate::apart);
  CHECK(contains(text_of(advice), "it is the hub's model that is at the target"));
}

TEST_CASE("gen-qsgd plan: a run of one peer is refused") {
  const RunSettings yours =
      parse_run(dedicated, ".", {{"topology.hub=worker"}, {"topology.peers=1"}}, "run.toml");
  CHECK(contains(misuse_text([&] { answer_plan<float>(yours, {}); }), "expected at least 2"));
}

}  // namespace hearsay::dedicated_hub_test
