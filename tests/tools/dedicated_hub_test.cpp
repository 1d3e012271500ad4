// Tools that look at the peers' data, where the hub has none.
#include <doctest/doctest.h>

#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tools/advise/advice.hpp"
#include "tools/advise/plan_command.hpp"
#include "tools/training/training.hpp"

using namespace hearsay;

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

TEST_CASE("gen-qsgd plan: a run of one peer is refused") {
  const RunSettings yours =
      parse_run(dedicated, ".", {{"topology.hub=worker"}, {"topology.peers=1"}}, "run.toml");
  CHECK(contains(misuse_text([&] { answer_plan<float>(yours, {}); }), "expected at least 2"));
}
