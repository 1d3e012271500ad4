#include <doctest/doctest.h>

#include "runtime/process/local_run.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/timelines.hpp"

namespace hearsay::test::timeline_run_test {

TEST_CASE("timeline: of real processes its sums are those of the record, and it changes no bit") {
  for (const char* method : {"d-psgd", "dcd-psgd", "allreduce-sgd"}) {
    CAPTURE(method);
    const auto experiment = experiment_from<float>(
        std::string("run = { iterations = 12, evaluate_every = 5 }\nmodel.kind = \"quadratic(1000)\"\n"
                    "topology = { kind = \"ring\", peers = 4 }\nalgorithm = { batch = \"full\", kind = \"") +
        method +
        "\" }\nnetwork = { bandwidth = \"10 Mbit/s\", latency = \"1 ms\", jitter = \"1 ms\", compute = \"2 "
        "ms\" }\n");
    Timeline timeline;
    RunControl control;
    control.timeline = &timeline;
    const RunOutcome<float> real = run_local(experiment, control);
    REQUIRE_MESSAGE(real.status == RunStatus::done, real.reason);
    check_timeline(timeline, real.peers);
    const RunOutcome<float> simulated = simulate(experiment, Duration{1000});
    for (PeerId id = 0; id < experiment.peer_count(); ++id)
      CHECK(real.peers[id].model_digest == simulated.peers[id].model_digest);
  }
}

}  // namespace hearsay::test::timeline_run_test
