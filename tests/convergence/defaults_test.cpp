#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "algorithms/methods/registry.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::defaults_test {

TEST_CASE(
    "defaults: every method, as it comes, passes the checks on ring, torus, complete graph and star, and its "
    "loss falls, for 1,000 iterations where peers agree most slowly") {
  for (const MethodInfo& method : methods())
    for (const std::string topology : {"ring", "torus(4x4)", "complete", "star"}) {
      if (method.pattern.has_hub && topology != "star") continue;
      CAPTURE(method.name);
      CAPTURE(topology);
      const bool is_slowest = topology == "ring" || method.pattern.has_hub;
      const std::string iterations = is_slowest ? "1000" : "300";
      const RunSettings settings =
          parse_run("run.iterations = " + iterations +
                        "\nrun.evaluate_every = 100\n"
                        "data.source = \"synthetic(samples=512, features=60, classes=5)\"\n"
                        "topology.peers = 16\ntopology.kind = \"" +
                        topology + "\"\nalgorithm.kind = \"" + method.name + "\"\n",
                    ".", {}, "run.toml");
      const RunResult result = simulate(prepare<float>(settings), Duration{1000});
      CHECK_MESSAGE(result.status == RunStatus::done, result.reason);
      CHECK(result.evaluations.back().loss < result.evaluations.front().loss);
    }
}

}  // namespace hearsay::defaults_test
