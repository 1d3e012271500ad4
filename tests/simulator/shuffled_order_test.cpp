// data.order = "shuffled", in whole runs.
#include <doctest/doctest.h>

#include "algorithms/methods/registry.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::shuffled_order_test {

namespace {

RunOutcome<double> run(const std::string& algorithm, const std::string& iterations) {
  return simulate(
      experiment_from<double>("run.iterations = " + iterations +
                              "\ndata = { source = \"synthetic(samples=96, features=6, classes=3)\", "
                              "order = \"shuffled\" }\ntopology.peers = 4\nalgorithm = { " +
                              algorithm + ", step_size = 0.01, batch = 5, allow_unsound = true }\n"),
      Duration{1000});
}

}  // namespace

TEST_CASE("shuffled order: every method that trains runs on shuffled minibatches") {
  int tried = 0;
  for (const MethodInfo& method : methods()) {
    if (!method.trains) continue;
    CAPTURE(method.name);
    ++tried;
    CHECK(run("kind = \"" + method.name + "\"", "8").status == RunStatus::done);
  }
  CHECK(tried > 30);
}

TEST_CASE("shuffled order: two rounds of two local steps see the samples of one round of four") {
  // Without communication a peer's steps are the same, however they are cut into rounds.
  const auto model = [](const std::string& local_steps, const std::string& iterations) {
    const auto outcome =
        run("kind = \"streaming-diloco\", fragments = 1, overlap = 0, own_share = 1.0, outer = \"none(1)\", "
            "local_steps = " +
                local_steps,
            iterations);
    return outcome.evaluations.back().loss;
  };
  CHECK(model("2", "6") == doctest::Approx(model("4", "3")).epsilon(1e-12));
  CHECK(model("2", "6") != doctest::Approx(model("2", "5")).epsilon(1e-12));
}

}  // namespace hearsay::shuffled_order_test
